import type { GroupView } from '../../../../src/admin/contract/groups.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { useT } from '../../lib/i18n';

interface Of {
  group: GroupView;
  onDone: () => void;
}
const common = ({ group: { key }, onDone }: Of) => ({ permission: 'groups.edit', group: key, object: key, onDone }) as const;

/** What takes a group out of use. */
export function ArchiveZone(props: Of) {
  const t = useT();
  const { key, jobs, running, pending } = props.group;
  return (
    <section className="panel stack danger-zone" aria-label={t('groups.danger')}>
      <h2>{t('groups.danger')}</h2>
      <span className="secondary">{t('groups.archiveNote')}</span>
      <div className="row">
        <ActionButton
          {...common(props)}
          label={t('groups.archive')}
          danger
          confirm="name"
          blocked={jobs > 0 ? t('groups.archiveHasJobs', { n: jobs }) : null}
          preview={t('groups.archivePreview', { running, pending: `${pending.count}${pending.capped ? '+' : ''}` })}
          run={(reason) => api.post(`groups/${segment(key)}/archive`, { reason })}
          done={t('groups.archived')}
        />
        {jobs > 0 && <span>{t('groups.archiveHasJobs', { n: jobs })}</span>}
      </div>
    </section>
  );
}

/** What brings it back. */
export function UnarchiveButton(props: Of) {
  const t = useT();
  return (
    <ActionButton
      {...common(props)}
      label={t('groups.unarchive')}
      primary
      confirm="dialog"
      run={(reason) => api.post(`groups/${segment(props.group.key)}/unarchive`, { reason })}
      done={t('groups.unarchived')}
    />
  );
}
