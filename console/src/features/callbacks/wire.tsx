import { Alert } from 'antd';
import type { AttemptWire, ConsoleDeliveryDetail, WireHeader } from '../../../../src/admin/contract/callbacks.js';
import { CopyButton } from '../../components/copy-button';
import { useCodeText, useT } from '../../lib/i18n';
import { Timing } from './timing';

type Attempt = ConsoleDeliveryDetail['log'][number];

/** Of the body of an answer. */
const KEPT_BYTES = 1024;

/** How one attempt went on the wire: what was sent and signed, what came back, how long each step took, or who refused it. */
export function Wire({ attempt, bodyText }: { attempt: Attempt; bodyText: string | null }) {
  const t = useT();
  const { wire, attempt: n } = attempt;
  return (
    <section className="panel stack wire-panel" aria-label={t('callbacks.wire', { n })}>
      <h2>{t('callbacks.wire', { n })}</h2>
      {wire === null ? (
        <span className="secondary">{t('callbacks.wireUnkept')}</span>
      ) : (
        <>
          {wire.refusedBy !== null && <RefusedBy guard={wire.refusedBy} />}
          {wire.refusedBy === null && <Timing timing={wire.timing} durationMs={attempt.durationMs} />}
          <div className="wire">
            <div className="stack">
              <h3>{t('callbacks.requestHeaders')}</h3>
              <Headers
                headers={wire.requestHeaders}
                none={t('callbacks.nothingSentThen')}
                label={t('callbacks.requestHeaders')}
              />
              {wire.requestHeaders && <BaseString headers={wire.requestHeaders} bodyText={bodyText} />}
            </div>
            <div className="stack">
              <h3>{t('callbacks.responseHeaders')}</h3>
              <Headers headers={wire.responseHeaders} none={t('callbacks.noAnswer')} label={t('callbacks.responseHeaders')} />
              {wire.responseHeaders && <ResponseBody attempt={attempt} wire={wire} />}
            </div>
          </div>
        </>
      )}
    </section>
  );
}

function RefusedBy({ guard }: { guard: string }) {
  const t = useT();
  const code = useCodeText();
  return <Alert type="warning" showIcon title={t('callbacks.refusedBy')} description={code('callbackGuard', guard)} />;
}

function Headers({ headers, none, label }: { headers: readonly WireHeader[] | null; none: string; label: string }) {
  if (headers === null) return <span className="secondary">{none}</span>;
  return (
    <table className="wire-headers mono" aria-label={label}>
      <tbody>
        {headers.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <bdi>{value}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What the receiver has to compute the signature of: id, timestamp and body, joined by dots. */
function BaseString({ headers, bodyText }: { headers: readonly WireHeader[]; bodyText: string | null }) {
  const t = useT();
  const value = (wanted: string) => headers.find(([name]) => name === wanted)?.[1] ?? '';
  if (bodyText === null) return null;
  const base = `${value('webhook-id')}.${value('webhook-timestamp')}.${bodyText}`;
  return (
    <>
      <div className="row">
        <h3>{t('callbacks.baseString')}</h3>
        <CopyButton text={base} what={t('callbacks.baseString')} />
      </div>
      <span className="secondary">{t('callbacks.baseStringNote')}</span>
      <Scrolled text={base} label={t('callbacks.baseString')} />
    </>
  );
}

/** How much of the body there was, and whether all of it is shown. */
const sizeOf = ({ responseCut, responseBytes }: AttemptWire) =>
  responseCut ? 'More' : responseBytes > KEPT_BYTES ? 'Bytes' : 'Whole';

function ResponseBody({ attempt: { response }, wire }: { attempt: Attempt; wire: AttemptWire }) {
  const t = useT();
  return (
    <>
      <h3>{t('callbacks.response')}</h3>
      <span className="secondary">{t(`callbacks.response${sizeOf(wire)}`, { n: wire.responseBytes })}</span>
      {response !== null && <Scrolled text={response} label={t('callbacks.response')} />}
    </>
  );
}

function Scrolled({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section aria-label={label} tabIndex={0}>
      <pre className="mono callback-response wire-text">
        <bdi>{text}</bdi>
      </pre>
    </section>
  );
}
