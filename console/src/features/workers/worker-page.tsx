import { useParams } from '@tanstack/react-router';
import { ActionButton } from '../../components/action-button';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { useCordonDeed } from './cordon-deed';
import { useDrainDeed } from './drain-deed';
import { LoadExplained } from './load-explained';
import { LostAttemptsPanel } from './lost-attempts';
import { RemoveButton } from './remove-button';
import { useWorker } from './use-worker';
import { WorkerFacts } from './worker-facts';
import { WorkerHistoryPlots } from './worker-history';
import { WorkerWorkPanel } from './worker-work';

/** One worker: what it can, what it does, and why it gets as much as it gets. */
export function WorkerPage() {
  const t = useT();
  const { workerId } = useParams({ strict: false }) as { workerId: string };
  const drain = useDrainDeed();
  const cordon = useCordonDeed();
  const query = useWorker(workerId);
  return (
    <Page
      title={t('workers.worker')}
      object={workerId}
      actions={
        query.data && (
          <>
            <ActionButton {...cordon(query.data)} />
            <ActionButton {...drain(query.data)} />
            <RemoveButton worker={query.data} />
          </>
        )
      }
    >
      <Loaded query={query} object={{ type: 'worker', id: workerId }}>
        {(worker) => (
          <>
            <WorkerFacts worker={worker} />
            {worker.groups.map((group, i) => (
              <LoadExplained key={group} workerId={worker.id} group={group} formula={i === 0} />
            ))}
            <WorkerWorkPanel workerId={worker.id} groups={worker.groups} />
            <WorkerHistoryPlots workerId={worker.id} />
            <LostAttemptsPanel workerId={worker.id} groups={worker.groups} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
