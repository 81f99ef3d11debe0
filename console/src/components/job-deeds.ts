import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { JobSummary } from '../../../src/admin/contract/jobs.js';
import { api, segment } from '../api/client';
import { useT } from '../lib/i18n';
import type { Action } from './action';

type Job = Pick<JobSummary, 'id' | 'key' | 'group' | 'state'>;

/** What may be done to a job, wherever it is shown: run once, and paused or set going again. */
export function useJobDeeds(): (job: Job) => { run: Action; turn: Action } {
  const t = useT();
  const client = useQueryClient();
  return useCallback(
    ({ id, key, group, state }) => {
      const path = `jobs/${segment(id)}`;
      const common = { group, object: key, onDone: () => void client.invalidateQueries({ queryKey: ['jobs'] }) };
      const verb = state === 'active' ? 'pause' : 'resume';
      return {
        run: {
          ...common,
          label: t('jobs.run'),
          permission: 'jobs.run',
          confirm: 'none',
          run: (reason) => api.post(`${path}/trigger`, { reason }),
          done: t('jobs.runDone'),
        },
        turn: {
          ...common,
          label: t(`jobs.${verb}`),
          permission: 'jobs.pause',
          confirm: verb === 'pause' ? 'dialog' : 'none',
          run: (reason) => api.post(`${path}/${verb}`, { reason }),
          done: t(verb === 'pause' ? 'jobs.paused' : 'jobs.resumed'),
        },
      };
    },
    [t, client],
  );
}
