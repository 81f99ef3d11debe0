import { useParams } from '@tanstack/react-router';
import { ActionButton } from '../../components/action-button';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { useDrainDeed } from './drain-deed';
import { LoadExplained } from './load-explained';
import { useWorker } from './use-worker';
import { WorkerFacts } from './worker-facts';

/** One worker: what it can, what it does, and why it gets as much as it gets. */
export function WorkerPage() {
  const t = useT();
  const { workerId } = useParams({ strict: false }) as { workerId: string };
  const drain = useDrainDeed();
  const query = useWorker(workerId);
  return (
    <Page title={t('workers.worker')} object={workerId} actions={query.data && <ActionButton {...drain(query.data)} />}>
      <Loaded query={query}>
        {(worker) => (
          <>
            <WorkerFacts worker={worker} />
            {worker.groups.map((group) => (
              <LoadExplained key={group} workerId={worker.id} group={group} />
            ))}
          </>
        )}
      </Loaded>
    </Page>
  );
}
