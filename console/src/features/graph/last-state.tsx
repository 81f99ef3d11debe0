import { Link } from '@tanstack/react-router';
import { StateIcon, StateTag } from '../../components/state-tag';
import { useCodeText, useT } from '../../lib/i18n';
import { type GraphJob, isLate } from './graph-model';

/** Its last task, and what keeps it from a next one. */
export function LastState({ job }: { job: GraphJob }) {
  const t = useT();
  const code = useCodeText();
  return (
    <span className="row" style={{ flexWrap: 'nowrap' }}>
      {job.last ? (
        <Link to="/tasks/$taskId" params={{ taskId: job.last.taskId }}>
          <StateTag state={job.last.state} />
        </Link>
      ) : (
        <span className="secondary">{t('graph.neverRan')}</span>
      )}
      {job.state !== 'active' && (
        <span className="state-tag state-skipped">
          <StateIcon family="skipped" />
          <span>{code('graphState', job.state)}</span>
        </span>
      )}
      {isLate(job) && (
        <span className="state-tag state-late">
          <StateIcon family="late" />
          <span>{t('state.late')}</span>
        </span>
      )}
    </span>
  );
}
