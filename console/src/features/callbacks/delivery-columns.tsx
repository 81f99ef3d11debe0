import { Link } from '@tanstack/react-router';
import type { ConsoleDelivery } from '../../../../src/admin/contract/callbacks.js';
import type { Column } from '../../components/data-table';
import { Instant } from '../../components/instant';
import { ShortId } from '../../components/short-id';
import { useT } from '../../lib/i18n';
import { DeliveryTag, Outcome } from './callback-state';

export function useDeliveryColumns(): Column<ConsoleDelivery>[] {
  const t = useT();
  return [
    { key: 'state', title: t('task.state'), cell: ({ state }) => <DeliveryTag state={state} /> },
    {
      key: 'event',
      title: t('callbacks.event'),
      cell: ({ id, eventType }) => (
        <Link className="mono" to="/callbacks/deliveries/$deliveryId" params={{ deliveryId: id }} title={id}>
          {eventType}
        </Link>
      ),
    },
    {
      key: 'task',
      title: t('callbacks.task'),
      cell: ({ taskId }) =>
        taskId === null ? <span className="secondary">–</span> : <ShortId id={taskId} to={`/tasks/${taskId}`} />,
    },
    { key: 'app', title: t('keys.app'), cell: ({ app }) => <bdi title={app?.id}>{app?.name ?? '–'}</bdi> },
    { key: 'to', title: t('callbacks.target'), cell: (delivery) => <Target {...delivery} /> },
    {
      key: 'outcome',
      title: t('callbacks.lastOutcome'),
      cell: ({ lastStatus, lastFailure }) => <Outcome status={lastStatus} failure={lastFailure} />,
    },
    { key: 'attempts', title: t('callbacks.attempts'), numeric: true, cell: ({ attempts }) => attempts },
    {
      key: 'next',
      title: t('callbacks.nextTry'),
      cell: ({ state, nextAttemptAt }) => <Instant at={state === 'PENDING' ? nextAttemptAt : null} />,
    },
    { key: 'created', title: t('keys.created'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
  ];
}

/** The URL is text and never a link out: nobody leaves the console by a partner's address. */
export function Target({ url, endpointId }: Pick<ConsoleDelivery, 'url' | 'endpointId'>) {
  const text = (
    <bdi className="mono callback-url" title={url}>
      {url}
    </bdi>
  );
  if (endpointId === null) return text;
  return (
    <Link to="/callbacks/endpoints/$endpointId" params={{ endpointId }}>
      {text}
    </Link>
  );
}
