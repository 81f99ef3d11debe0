import { Link } from '@tanstack/react-router';
import { Alert, Descriptions } from 'antd';
import type { ConsoleDeliveryDetail } from '../../../../src/admin/contract/callbacks.js';
import { CopyButton } from '../../components/copy-button';
import { Instant } from '../../components/instant';
import { ShortId } from '../../components/short-id';
import { useT } from '../../lib/i18n';
import { DeliveryTag } from './callback-state';
import { Target } from './delivery-columns';
import { HoldNote, NextTry } from './next-try';
import { RefusalNote } from './refusal-note';

/** What one delivery is, and what is to become of it. `narrow`: one below the other, where there is no room for more. */
export function DeliveryFacts({ delivery, narrow = false }: { delivery: ConsoleDeliveryDetail; narrow?: boolean }) {
  const t = useT();
  const { state, app, taskId, eventType, eventId, createdAt, endedAt, attempts, lastStatus, lastFailure } = delivery;
  const refusal = delivery.log.findLast(({ failure }) => failure === 'blocked');
  return (
    <>
      <Descriptions
        bordered
        size="small"
        column={narrow ? 1 : { xs: 1, sm: 2 }}
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
            children: <NextTry {...delivery} />,
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
      <HoldNote hold={delivery.hold} />
      {lastFailure === 'blocked' && <RefusalNote app={app} url={delivery.url} guard={refusal?.wire?.refusedBy ?? null} />}
      {lastStatus !== null && lastStatus >= 300 && lastStatus < 400 && (
        <Alert type="warning" showIcon title={t('callbacks.redirected')} description={t('callbacks.redirectedToDo')} />
      )}
    </>
  );
}
