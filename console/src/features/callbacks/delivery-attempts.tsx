import { Link } from '@tanstack/react-router';
import type { ConsoleDeliveryDetail } from '../../../../src/admin/contract/callbacks.js';
import { type Column, DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { Instant } from '../../components/instant';
import { useCodeText, useT } from '../../lib/i18n';
import type { RawSearch } from '../../lib/search';
import { durationText } from '../../lib/times';
import { Outcome } from './callback-state';

type Attempt = ConsoleDeliveryDetail['log'][number];

/**
 * Newest first: what failed last is what one looks for. None is ever changed. `chosen`: the one that is shown below, where others can
 * be chosen. `narrow`: with the answer below its status, where there is no room beside it.
 */
export function DeliveryAttempts({
  log,
  state,
  chosen,
  narrow = false,
}: Pick<ConsoleDeliveryDetail, 'log' | 'state'> & { chosen?: number; narrow?: boolean }) {
  const t = useT();
  const code = useCodeText();
  const columns: Column<Attempt>[] = [
    { key: 'no', title: t('callbacks.attemptNo'), numeric: true, width: narrow ? 56 : 80, cell: ({ attempt }) => attempt },
    { key: 'by', title: t('callbacks.trigger'), cell: ({ trigger }) => code('sendTrigger', trigger) },
    { key: 'at', title: t('callbacks.startedAt'), cell: ({ startedAt }) => <Instant at={startedAt} /> },
    { key: 'took', title: t('callbacks.took'), numeric: true, cell: ({ durationMs }) => durationText(durationMs, t) },
    {
      key: 'outcome',
      title: t('callbacks.outcome'),
      cell: ({ status, failure, response }) => (
        <>
          <Outcome status={status} failure={failure as ConsoleDeliveryDetail['lastFailure']} />
          {narrow && response !== null && <Response text={response} />}
        </>
      ),
    },
  ];
  if (!narrow)
    columns.push({ key: 'response', title: t('callbacks.response'), cell: ({ response }) => <Response text={response} /> });
  if (chosen !== undefined)
    columns.push({
      key: 'wire',
      title: t('callbacks.onTheWire'),
      cell: ({ attempt }) => (
        <Link
          to="."
          search={(raw: RawSearch) => ({ ...raw, attempt: String(attempt) }) as never}
          replace
          aria-current={attempt === chosen ? 'true' : undefined}
          aria-label={`${t('callbacks.show')}: ${t('callbacks.wire', { n: attempt })}`}
        >
          {t('callbacks.show')}
        </Link>
      ),
    });
  return (
    <DataTable<Attempt>
      label={t('callbacks.attemptsTitle')}
      columns={columns}
      rows={[...log].reverse()}
      rowId={({ attempt }) => String(attempt)}
      edge={({ failure, status }) =>
        failure === 'blocked' ? 'late' : failure !== null || status === null || status >= 300 ? 'failed' : undefined
      }
      empty={<Empty text={t(state === 'EXHAUSTED' ? 'callbacks.gaveUpUntried' : 'callbacks.notTried')} />}
    />
  );
}

function Response({ text }: { text: string | null }) {
  const t = useT();
  if (text === null) return <span className="secondary">–</span>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section aria-label={t('callbacks.response')} tabIndex={0}>
      <pre className="mono callback-response">
        <bdi>{text}</bdi>
      </pre>
    </section>
  );
}
