import { Alert, Button } from 'antd';
import { ApiError } from '../api/client';
import { useCodeText, useT } from '../lib/i18n';
import { CopyButton } from './copy-button';

/** What failed, why, and what to do; with the request id to hand on. */
export function ErrorPanel({ error, onRetry, asOf }: { error: unknown; onRetry?: () => void; asOf?: string }) {
  const t = useT();
  const code = useCodeText();
  const problem = error instanceof ApiError ? error : null;
  const title = problem ? code('problem', problem.code) : t('problem.unexpected');
  const permission = typeof problem?.members.permission === 'string' ? problem.members.permission : null;
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      title={title}
      description={
        <div className="stack" style={{ gap: 4 }}>
          {problem?.detail && <span>{problem.detail}</span>}
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
