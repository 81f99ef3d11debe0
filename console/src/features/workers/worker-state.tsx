import type { WorkerSummary } from '../../../../src/admin/contract/workers.js';
import { type StateFamily, StateIcon } from '../../components/state-tag';
import { useCodeText } from '../../lib/i18n';

const FAMILY: Record<WorkerSummary['state'], StateFamily> = {
  online: 'succeeded',
  suspect: 'late',
  draining: 'skipped',
  drained: 'skipped',
  cordoned: 'skipped',
  offline: 'failed',
  suspended: 'failed',
};

export function WorkerState({ worker }: { worker: Pick<WorkerSummary, 'state' | 'suspendedFor'> }) {
  const code = useCodeText();
  const family = FAMILY[worker.state];
  return (
    <span className={`state-tag state-${family}`}>
      <StateIcon family={family} halted={family === 'skipped'} />
      {code('workerState', worker.state)}
      {worker.suspendedFor && <span> · {code('reason', worker.suspendedFor)}</span>}
    </span>
  );
}
