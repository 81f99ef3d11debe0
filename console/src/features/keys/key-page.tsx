import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { KeyList, KeyView } from '../../../../src/admin/contract/keys.js';
import { api, segment } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { ActionButton } from '../../components/action-button';
import { EditButton } from '../../components/edit-button';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { EditKeyDialog } from './edit-key-dialog';
import { KeyFacts } from './key-facts';
import { KeySiblings } from './key-siblings';
import { LastUsed } from './key-usage';
import { Overlap } from './overlap';
import { RejectedList } from './rejected-list';
import { RotateKey } from './rotate-key';
import './tester.css';

export function KeyPage() {
  const t = useT();
  const { accessKey } = useParams({ strict: false }) as { accessKey: string };
  const client = useQueryClient();
  const navigate = useNavigate();
  const path = `keys/${segment(accessKey)}`;
  const query = useQuery({
    queryKey: ['keys', 'detail', accessKey],
    queryFn: ({ signal }) => api.get<KeyView>(path, undefined, signal),
  });
  const key = query.data;
  const [editing, setEditing] = useState<KeyView | null>(null);
  const siblings = useQuery({
    queryKey: ['keys', 'list', key?.app?.id],
    queryFn: ({ signal }) => api.get<KeyList>('keys', { app: key?.app?.id }, signal),
    enabled: Boolean(key?.app),
    refetchInterval: useLookAgain(10_000),
  });
  const all = siblings.data?.items;
  const old = all?.find(({ successor }) => successor !== null);
  const next = all?.find((each) => each.accessKey === old?.successor);
  const refresh = () => void client.invalidateQueries({ queryKey: ['keys'] });
  const common = { permission: 'keys.manage', group: null, object: accessKey } as const;
  return (
    <Page
      title={t('keys.key')}
      object={accessKey}
      actions={
        key && (
          <>
            <EditButton large object={accessKey} permission="keys.manage" onClick={() => setEditing(key)} />
            {key.state === 'active' ? (
              <>
                <RotateKey apiKey={key} onDone={refresh} />
                <ActionButton
                  {...common}
                  label={t('keys.disable')}
                  danger
                  confirm="dialog"
                  preview={
                    <span>
                      {t('keys.disablePreview')} <LastUsed apiKey={key} />
                    </span>
                  }
                  run={(reason) => api.post(`${path}/disable`, { reason })}
                  done={t('keys.disabled')}
                  onDone={refresh}
                />
              </>
            ) : (
              <>
                <ActionButton
                  {...common}
                  label={t('keys.enable')}
                  confirm="dialog"
                  blocked={key.state === 'expired' ? t('keys.expiredNow') : null}
                  run={(reason) => api.post(`${path}/enable`, { reason })}
                  done={t('keys.enabled')}
                  onDone={refresh}
                />
                <ActionButton
                  {...common}
                  label={t('users.delete')}
                  danger
                  confirm="name"
                  run={(reason) => api.delete(path, { reason })}
                  done={t('users.deleted')}
                  onDone={() => {
                    refresh();
                    void navigate({ to: '/keys' });
                  }}
                />
              </>
            )}
          </>
        )
      }
    >
      {editing && <EditKeyDialog apiKey={editing} close={() => setEditing(null)} refresh={refresh} />}
      <Loaded query={query} object={{ type: 'key', id: accessKey }}>
        {(shown) => (
          <>
            {old && next && <Overlap old={old} next={next} onDone={refresh} />}
            <KeyFacts apiKey={shown} />
            {shown.app && <KeySiblings app={shown.app} keys={all} />}
            <section className="stack" aria-label={t('rejected.title')}>
              <div className="spread">
                <h2>{t('rejected.title')}</h2>
                {shown.app && (
                  <Link to="/keys/rejected" search={{ app: shown.app.id } as never}>
                    {t('rejected.ofApp')}
                  </Link>
                )}
              </div>
              <span className="secondary">{t('rejected.note')}</span>
              <RejectedList query={{ key: accessKey, limit: 100 }} />
            </section>
          </>
        )}
      </Loaded>
    </Page>
  );
}
