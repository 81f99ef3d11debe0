import { Link } from '@tanstack/react-router';
import { Alert, Button } from 'antd';
import { ApiError } from '../api/client';
import { useMay } from '../api/session';
import { marksShown } from '../lib/direction-marks';
import { problemDetail, problemTitle } from '../lib/field-errors';
import { namedFault } from '../lib/field-words';
import { useT } from '../lib/i18n';
import { usePreferences } from '../lib/preferences';
import { CopyButton } from './copy-button';

interface Failure {
  error: unknown;
  onRetry?: () => void;
  asOf?: string;
  /** What was looked for: where it is gone, the audit log may tell what became of it. */
  object?: { type: string; id: string };
}

/** What failed, why, and what to do; with the request id to hand on. */
export function ErrorPanel({ error, onRetry, asOf, object }: Failure) {
  const t = useT();
  const mayAudit = useMay('audit.view');
  const { language } = usePreferences();
  const problem = error instanceof ApiError ? error : null;
  const title = problem ? problemTitle(problem, language) : t('problem.unexpected');
  const detail = problem && problemDetail(problem, language);
  const permission = typeof problem?.members.permission === 'string' ? problem.members.permission : null;
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      title={title}
      description={
        <div className="stack" style={{ gap: 4 }}>
          {problem?.errors.map((fault) => (
            <bdi key={`${fault.pointer} ${fault.code} ${fault.message}`}>{namedFault(fault, language)}</bdi>
          ))}
          {detail && !permission && <bdi title={marksShown(problem.detail)}>{detail}</bdi>}
          {object && problem?.status === 404 && mayAudit && (
            <Link to="/audit" search={{ objectType: object.type, objectId: object.id } as never}>
              {t('error.auditOf')}
            </Link>
          )}
          {permission && <span>{t('error.needs', { permission })}</span>}
          {asOf && <span>{t('error.asOf', { at: asOf })}</span>}
          {problem?.requestId && (
            <span className="row secondary">
              {t('error.requestId')} <code>{problem.requestId}</code> <CopyButton text={problem.requestId} />
            </span>
          )}
          {problem?.retryAfterSeconds ? <span>{t('error.retryIn', { n: problem.retryAfterSeconds })}</span> : null}
        </div>
      }
      action={onRetry && <Button onClick={onRetry}>{t('action.retryLoad')}</Button>}
    />
  );
}
