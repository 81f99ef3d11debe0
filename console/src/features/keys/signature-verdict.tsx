import { Alert, Input } from 'antd';
import { useId, useState } from 'react';
import { useT } from '../../lib/i18n';
import { causeOf, firstDifference, LINE_NAMES, lineOf, type Signed, type SignedRequest } from './signature-check';

/** Whether a signature somebody else made is the right one, and if not, what they most likely did. */
export function SignatureVerdict({
  request,
  signed,
  arrived,
}: {
  request: SignedRequest;
  signed: Signed;
  /** A request that was refused: its signature, and the lines it was verified by. */
  arrived?: { signature: string; lines: readonly string[] };
}) {
  const t = useT();
  const signatureId = useId();
  const canonicalId = useId();
  const [received, setReceived] = useState(arrived?.signature ?? '');
  const [canonical, setCanonical] = useState('');
  const equal = received.trim() === signed.signature;
  const cause = received.trim() === '' || equal || request.secret === '' ? null : causeOf(request, signed, received);
  const causeLine = cause === null ? null : lineOf(cause);
  const changed = arrived ? firstDifference(signed.lines, arrived.lines.join('\n')) : null;
  const line = canonical === '' ? null : firstDifference(signed.lines, canonical);
  const differs = (n: number) => t('tester.line', { n: n + 1, name: LINE_NAMES[n] ? t(`tester.line.${LINE_NAMES[n]}`) : '' });
  return (
    <section className="panel stack" aria-label={t('tester.compare')}>
      <h2>{t('tester.compare')}</h2>
      <label htmlFor={signatureId}>{t('tester.received')}</label>
      <Input
        id={signatureId}
        className="mono"
        placeholder="v1=…"
        value={received}
        onChange={({ target }) => setReceived(target.value)}
      />
      <div role="status" className="stack">
        {received.trim() !== '' &&
          request.secret !== '' &&
          (equal && changed !== null ? (
            <Alert
              type="error"
              showIcon
              title={`${t('tester.changedOnTheWay')} ${differs(changed)}`}
              description={t('tester.changedWhy')}
            />
          ) : equal ? (
            <Alert type="success" showIcon title={t('tester.equal')} />
          ) : (
            <Alert
              type="error"
              showIcon
              title={causeLine === null ? t('tester.different') : `${t('tester.different')} ${differs(causeLine)}`}
              description={cause ? t(`tester.cause.${cause}`) : t('tester.causes')}
            />
          ))}
        {arrived && !equal && changed !== null && (
          <Alert type="warning" showIcon title={`${t('tester.notAsArrived')} ${differs(changed)}`} />
        )}
      </div>
      <label htmlFor={canonicalId}>{t('tester.theirs')}</label>
      <Input.TextArea
        id={canonicalId}
        className="mono"
        rows={3}
        value={canonical}
        onChange={({ target }) => setCanonical(target.value)}
      />
      {canonical !== '' && (
        <Alert
          type={line === null ? 'success' : 'error'}
          showIcon
          title={line === null ? t('tester.sameLines') : differs(line)}
          description={
            line === null ? undefined : (
              <div className="stack mono">
                <code>{signed.lines[line] ?? ''}</code>
                <code>{canonical.split('\n')[line] ?? ''}</code>
              </div>
            )
          }
        />
      )}
    </section>
  );
}
