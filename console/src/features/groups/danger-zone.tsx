import type { GroupView } from '../../../../src/admin/contract/groups.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { useT } from '../../lib/i18n';

/** What takes a group out of use, and brings it back. */
export function DangerZone({ group, onDone }: { group: GroupView; onDone: () => void }) {
  const t = useT();
  const { key, jobs, running, pending } = group;
  const path = `groups/${segment(key)}`;
  const common = { permission: 'groups.edit', group: key, object: key, onDone } as const;
  return (
    <section className="panel stack danger-zone" aria-label={t('groups.danger')}>
      <h2>{t('groups.danger')}</h2>
      <span className="secondary">{t('groups.archiveNote')}</span>
      <div className="row">
        {group.archivedAt === null ? (
          <ActionButton
            {...common}
            label={t('groups.archive')}
            danger
            confirm="name"
            blocked={jobs > 0 ? t('groups.archiveHasJobs', { n: jobs }) : null}
            preview={t('groups.archivePreview', { running, pending: `${pending.count}${pending.capped ? '+' : ''}` })}
            run={(reason) => api.post(`${path}/archive`, { reason })}
            done={t('groups.archived')}
          />
        ) : (
          <ActionButton
            {...common}
            label={t('groups.unarchive')}
            confirm="dialog"
            run={(reason) => api.post(`${path}/unarchive`, { reason })}
            done={t('groups.unarchived')}
          />
        )}
        {group.archivedAt === null && jobs > 0 && <span>{t('groups.archiveHasJobs', { n: jobs })}</span>}
      </div>
    </section>
  );
}
