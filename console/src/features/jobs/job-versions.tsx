import { useQuery } from '@tanstack/react-query';
import { Collapse } from 'antd';
import type { JobDetail, JobVersions, JobVersionView } from '../../../../src/admin/contract/jobs.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { useT } from '../../lib/i18n';
import { DefinitionDiff } from './definition-diff';

/** Every definition it had, newest first, each with what changed; any of them can come back as a new version. */
export function JobVersionsTab({ job, onRestored }: { job: JobDetail; onRestored: () => void }) {
  const t = useT();
  const query = useQuery({
    queryKey: ['jobs', 'versions', job.id, job.version],
    queryFn: ({ signal }) => api.get<JobVersions>(`jobs/${segment(job.id)}/versions`, undefined, signal),
  });
  if (query.error) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  const items = query.data?.items ?? [];
  const label = ({ version, changedBy, changedAt }: JobVersionView) => (
    <span className="row">
      <strong>{t('jobs.versionN', { n: version })}</strong>
      <bdi>{changedBy}</bdi>
      <Instant at={changedAt} />
    </span>
  );
  return (
    <Collapse
      items={items.map((item, i) => ({
        key: item.version,
        label: label(item),
        extra: item.version !== job.version && (
          // biome-ignore lint/a11y/noStaticElementInteractions: keeps a click on the button from opening the row
          // biome-ignore lint/a11y/useKeyWithClickEvents: the button inside is what the keyboard reaches
          <span onClick={(event) => event.stopPropagation()}>
            <ActionButton
              label={t('jobs.restore')}
              permission="jobs.edit"
              group={job.group}
              object={`${job.key} ${t('jobs.versionN', { n: item.version })}`}
              confirm="dialog"
              run={(reason) =>
                api.post(`jobs/${segment(job.id)}/versions/${item.version}/restore`, { version: job.version, reason })
              }
              done={t('jobs.restored')}
              onDone={onRestored}
            />
          </span>
        ),
        children: <DefinitionDiff before={items[i + 1]?.definition ?? null} after={item.definition} />,
      }))}
    />
  );
}
