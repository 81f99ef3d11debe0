import { memo, useMemo } from 'react';
import type { ConsoleDelivery } from '../../../../src/admin/contract/callbacks.js';
import type { Column } from '../../components/data-table';
import { Instant } from '../../components/instant';
import { RowLink } from '../../components/row-link';
import { ShortId } from '../../components/short-id';
import { useT } from '../../lib/i18n';
import { DeliveryTag, Outcome } from './callback-state';
import { NextTry } from './next-try';

const NONE: ReadonlySet<string> = new Set();

/** `without`: keys of columns that say nothing new where the list stands. */
export function useDeliveryColumns(without = NONE): Column<ConsoleDelivery>[] {
  const t = useT();
  return useMemo(() => {
    const all: Column<ConsoleDelivery>[] = [
      { key: 'state', title: t('task.state'), cell: ({ state }) => <DeliveryTag state={state} /> },
      {
        key: 'event',
        title: t('callbacks.event'),
        cell: ({ id, eventType }) => (
          <RowLink className="mono" to="/callbacks/deliveries/$deliveryId" id={id} text={eventType} title={id} />
        ),
      },
      {
        key: 'task',
        title: t('callbacks.task'),
        cell: ({ taskId }) =>
          taskId === null ? <span className="secondary">–</span> : <ShortId id={taskId} to="/tasks/$taskId" />,
      },
      { key: 'app', title: t('keys.app'), cell: ({ app }) => <bdi title={app?.id}>{app?.name ?? '–'}</bdi> },
      { key: 'to', title: t('callbacks.target'), cell: ({ url, endpointId }) => <Target url={url} endpointId={endpointId} /> },
      {
        key: 'outcome',
        title: t('callbacks.lastOutcome'),
        cell: ({ lastStatus, lastFailure }) => <Outcome status={lastStatus} failure={lastFailure} />,
      },
      { key: 'attempts', title: t('callbacks.attempts'), numeric: true, cell: ({ attempts }) => attempts },
      {
        key: 'next',
        title: t('callbacks.nextTry'),
        cell: ({ state, nextAttemptAt, hold }) => <NextTry state={state} nextAttemptAt={nextAttemptAt} hold={hold} />,
      },
      { key: 'created', title: t('keys.created'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
    ];
    return all.filter(({ key }) => !without.has(key));
  }, [t, without]);
}

/** The URL is text and never a link out: nobody leaves the console by a partner's address. */
export const Target = memo(function Target({ url, endpointId }: Pick<ConsoleDelivery, 'url' | 'endpointId'>) {
  if (endpointId !== null)
    return <RowLink className="mono callback-url" to="/callbacks/endpoints/$endpointId" id={endpointId} text={url} title={url} />;
  return (
    <bdi className="mono callback-url" title={url}>
      {url}
    </bdi>
  );
});
