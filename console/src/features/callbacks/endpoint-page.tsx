import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Alert, Descriptions } from 'antd';
import type { ConsoleEndpoint } from '../../../../src/admin/contract/callbacks.js';
import { api, segment } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { Empty } from '../../components/empty';
import { Instant } from '../../components/instant';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { useCodeText, useT } from '../../lib/i18n';
import { durationText } from '../../lib/times';
import { DayShare, EndpointTag } from './callback-state';
import { DeliveryTable } from './delivery-table';
import { EndpointActions } from './endpoint-actions';
import { SecretMark } from './endpoints-list';
import { FailingNote } from './failing-note';
import { RetryPolicy } from './retry-policy';
import { RetrySteps } from './retry-steps';
import './callbacks.css';

const REDUNDANT = new Set(['app', 'to']);

const RECENT = 10;

/** One receiver: whether it is sent to and why not, by which secrets, and what was sent last. */
export function EndpointPage() {
  const t = useT();
  const { endpointId } = useParams({ strict: false }) as { endpointId: string };
  const client = useQueryClient();
  const query = useQuery({
    queryKey: ['callbacks', 'endpoint', endpointId],
    queryFn: ({ signal }) => api.get<ConsoleEndpoint>(`callbacks/endpoints/${segment(endpointId)}`, undefined, signal),
    meta: { dear: true },
    // Its figures are written down some seconds after what they count.
    refetchInterval: useLookAgain(15_000),
  });
  const endpoint = query.data;
  return (
    <Page
      title={t('callbacks.endpoint')}
      object={endpointId}
      actions={
        endpoint && (
          <EndpointActions endpoint={endpoint} onDone={() => void client.invalidateQueries({ queryKey: ['callbacks'] })} />
        )
      }
    >
      <Loaded query={query} object={{ type: 'endpoint', id: endpointId }}>
        {(endpoint) => (
          <>
            <WhySilent endpoint={endpoint} />
            <Facts endpoint={endpoint} />
            <div>
              <h2>{t('callbacks.policy')}</h2>
              <RetrySteps plan={endpoint.retry} />
              <RetryPolicy plan={endpoint.retry} />
            </div>
            <FailingNote endpoint={endpoint} />
            <div className="spread">
              <h2>{t('callbacks.recent')}</h2>
              <Link to="/callbacks" search={{ endpoint: endpointId } as never}>
                {t('callbacks.ofEndpoint')}
              </Link>
            </div>
            <DeliveryTable
              label={t('callbacks.recent')}
              query={{ endpoint: endpointId, limit: 2 * RECENT }}
              view={endpointId}
              size={RECENT}
              without={REDUNDANT}
              empty={<Empty text={t('callbacks.nothingSent')} />}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Nothing is sent to an endpoint that is not enabled: said first, with what to do. */
function WhySilent({ endpoint: { state, stateReason } }: { endpoint: ConsoleEndpoint }) {
  const code = useCodeText();
  if (state === 'ENABLED') return null;
  const why = stateReason ?? 'unproven';
  const loud = state === 'DISABLED' && stateReason !== 'asked';
  return (
    <Alert type={loud ? 'error' : 'info'} showIcon title={code('endpointWhy', why)} description={code('endpointToDo', why)} />
  );
}

function Facts({ endpoint }: { endpoint: ConsoleEndpoint }) {
  const t = useT();
  return (
    <Descriptions
      bordered
      size="small"
      column={{ xs: 1, sm: 2 }}
      items={[
        { key: 'state', label: t('task.state'), children: <EndpointTag endpoint={endpoint} /> },
        { key: 'app', label: t('keys.app'), children: <bdi title={endpoint.app?.id}>{endpoint.app?.name ?? '–'}</bdi> },
        {
          key: 'url',
          label: t('callbacks.url'),
          children: (
            <bdi className="mono" style={{ wordBreak: 'break-all' }}>
              {endpoint.url}
            </bdi>
          ),
        },
        { key: 'events', label: t('callbacks.events'), children: <code>{endpoint.eventTypes.join(', ')}</code> },
        { key: 'success', label: t('callbacks.successDay'), children: <DayShare {...endpoint} /> },
        { key: 'p95', label: t('callbacks.p95'), children: durationText(endpoint.lastDay?.p95Ms ?? Number.NaN, t) },
        { key: 'secret', label: t('callbacks.secret'), children: <SecretMark {...endpoint} /> },
        { key: 'verified', label: t('callbacks.verified'), children: <Instant at={endpoint.verifiedAt} /> },
        { key: 'disabled', label: t('callbacks.disabledSince'), children: <Instant at={endpoint.disabledAt} /> },
        { key: 'created', label: t('keys.created'), children: <Instant at={endpoint.createdAt} /> },
        { key: 'updated', label: t('callbacks.updated'), children: <Instant at={endpoint.updatedAt} /> },
      ]}
    />
  );
}
