import { definitionView } from '../decisions/stated-job.js';
import { textWithoutSecrets } from '../decisions/without-secrets.js';
import type { Deed } from '../platform/witness.js';
import type { GroupsService } from './groups.service.js';
import type { Job } from './job.js';

/** What the log keeps of a change of a job, whoever made it; the state before and after is what tells when it was paused. */
export function jobDeed(action: string, groups: GroupsService): Deed<Job> {
  const group = ({ groupId }: Job) => groups.byId(groupId)?.key ?? null;
  const show = (job: Job) => ({
    key: job.key,
    group: group(job),
    state: job.state,
    pauseReason: job.pauseReason,
    version: job.version,
    ...definitionView(job),
    // A secret inside a text would not be seen where members are masked by their names.
    paramsText: textWithoutSecrets(job.params),
  });
  return { action, type: 'job', id: ({ id }) => id, group, show };
}
