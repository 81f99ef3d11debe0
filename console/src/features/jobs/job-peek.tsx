import { useQuery } from '@tanstack/react-query';
import type { JobDetail } from '../../../../src/admin/contract/jobs.js';
import { api, segment } from '../../api/client';
import { Loaded } from '../../components/loaded';
import { Peek } from '../../components/peek';
import { RunAndTurn } from './job-actions';
import { JobConfig } from './job-config';
import { JobNow } from './job-now';

/** A job at a glance, beside the list it was found in. */
export function JobPeek({ id, close }: { id: string; close: () => void }) {
  const query = useQuery({
    queryKey: ['jobs', 'detail', id],
    queryFn: ({ signal }) => api.get<JobDetail>(`jobs/${segment(id)}`, undefined, signal),
  });
  return (
    <Peek title={<bdi>{query.data?.key ?? id}</bdi>} to={`/jobs/${segment(id)}`} close={close}>
      <Loaded query={query}>
        {(job) => (
          <>
            <div className="row">
              <RunAndTurn job={job} />
            </div>
            <JobNow job={job} />
            <JobConfig job={job} narrow />
          </>
        )}
      </Loaded>
    </Peek>
  );
}
