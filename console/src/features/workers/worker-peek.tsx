import { segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { Loaded } from '../../components/loaded';
import { Peek } from '../../components/peek';
import { useCordonDeed } from './cordon-deed';
import { useDrainDeed } from './drain-deed';
import { useWorker } from './use-worker';
import { WorkerFacts } from './worker-facts';

/** A worker at a glance, beside the list it was found in. */
export function WorkerPeek({ id, close }: { id: string; close: () => void }) {
  const drain = useDrainDeed();
  const cordon = useCordonDeed();
  return (
    <Peek title={<bdi>{id}</bdi>} to={`/workers/${segment(id)}`} close={close}>
      <Loaded query={useWorker(id)}>
        {(worker) => (
          <>
            <div className="row">
              <ActionButton {...cordon(worker)} />
              <ActionButton {...drain(worker)} />
            </div>
            <WorkerFacts worker={worker} narrow />
          </>
        )}
      </Loaded>
    </Peek>
  );
}
