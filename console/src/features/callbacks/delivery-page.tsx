import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Descriptions, Skeleton } from 'antd';
import type { ConsoleDeliveryDetail } from '../../../../src/admin/contract/callbacks.js';
import { api, segment } from '../../api/client';
import { CopyButton } from '../../components/copy-button';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { JsonText } from '../../components/json-text';
import { Page } from '../../components/page';
import { ShortId } from '../../components/short-id';
import { useT } from '../../lib/i18n';
import { DeliveryTag } from './callback-state';
import { DeliveryAttempts } from './delivery-attempts';
import { Target } from './delivery-columns';
import { RedeliverButton } from './redeliver-button';
import { RefusalNote } from './refusal-note';
import './callbacks.css';

/** One event to one receiver: what is sent, every attempt of it, and sending it again. */
export function DeliveryPage() {
  const t = useT();
  const { deliveryId } = useParams({ strict: false }) as { deliveryId: string };
  const client = useQueryClient();
  const query = useQuery({
    queryKey: ['callbacks', 'delivery', deliveryId],
    queryFn: ({ signal }) => api.get<ConsoleDeliveryDetail>(`callbacks/deliveries/${segment(deliveryId)}`, undefined, signal),
  });
  const delivery = query.data;
  return (
    <Page
      title={t('callbacks.delivery')}
      object={deliveryId}
      actions={
        delivery && (
          <RedeliverButton delivery={delivery} onDone={() => void client.invalidateQueries({ queryKey: ['callbacks'] })} />
        )
      }
    >
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {!delivery && !query.error && <Skeleton active />}
      {delivery && (
        <>
          <Facts delivery={delivery} />
          {delivery.lastFailure === 'blocked' && <RefusalNote app={delivery.app} url={delivery.url} />}
          <div>
            <h2>{t('callbacks.attemptsTitle')}</h2>
            <span className="secondary">{t('callbacks.attemptsNote')}</span>
          </div>
          <DeliveryAttempts {...delivery} />
          <div>
            <h2>{t('callbacks.body')}</h2>
            <JsonText text={delivery.bodyText} label={t('callbacks.body')} />
          </div>
        </>
      )}
    </Page>
  );
}

function Facts({ delivery }: { delivery: ConsoleDeliveryDetail }) {
  const t = useT();
  const { state, app, taskId, eventType, eventId, nextAttemptAt, createdAt, endedAt, attempts } = delivery;
  return (
    <Descriptions
      bordered
      size="small"
      column={{ xs: 1, sm: 2 }}
      items={[
        { key: 'state', label: t('task.state'), children: <DeliveryTag state={state} /> },
        { key: 'event', label: t('callbacks.event'), children: <code>{eventType}</code> },
        { key: 'to', label: t('callbacks.target'), children: <Target {...delivery} /> },
        { key: 'app', label: t('keys.app'), children: <bdi title={app?.id}>{app?.name ?? '–'}</bdi> },
        {
          key: 'task',
          label: t('callbacks.task'),
          children: taskId === null ? '–' : <ShortId id={taskId} to="/tasks/$taskId" />,
        },
        {
          key: 'id',
          label: t('callbacks.webhookId'),
          children: (
            <span className="row">
              <code>{eventId}</code> <CopyButton text={eventId} what={eventId} />
            </span>
          ),
        },
        { key: 'attempts', label: t('callbacks.attempts'), children: attempts },
        {
          key: 'next',
          label: t('callbacks.nextTry'),
          children: <Instant at={state === 'PENDING' ? nextAttemptAt : null} />,
        },
        { key: 'created', label: t('keys.created'), children: <Instant at={createdAt} /> },
        { key: 'ended', label: t('callbacks.ended'), children: <Instant at={endedAt} /> },
        {
          key: 'others',
          label: t('callbacks.sameTarget'),
          children:
            delivery.endpointId === null ? (
              t('callbacks.noEndpoint')
            ) : (
              <Link to="/callbacks" search={{ endpoint: delivery.endpointId } as never}>
                {t('callbacks.ofEndpoint')}
              </Link>
            ),
        },
      ]}
    />
  );
}
