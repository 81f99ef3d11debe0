import { useQuery } from '@tanstack/react-query';
import { Alert } from 'antd';
import type { AppCallbacks } from '../../../../src/admin/contract/callbacks.js';
import { api, segment } from '../../api/client';
import { useT } from '../../lib/i18n';

/** A target this installation refuses is no failure of the receiver: who may open it, and how. */
export function RefusalNote({ app, url }: { app: { id: string; name: string } | null; url: string }) {
  const t = useT();
  const appId = app?.id;
  const { data } = useQuery({
    queryKey: ['callbacks', 'hosts', appId],
    queryFn: ({ signal }) => api.get<AppCallbacks>(`apps/${segment(appId as string)}/callbacks`, undefined, signal),
    enabled: appId !== undefined,
  });
  return (
    <Alert
      type="warning"
      showIcon
      title={t('callbacks.refused')}
      description={
        <div className="stack" style={{ gap: 4 }}>
          <span>{t('callbacks.refusedWhy')}</span>
          <bdi className="mono">{url}</bdi>
          <span>
            {t('callbacks.refusedHosts')} <code>{data ? data.hosts.join(', ') || t('callbacks.noHosts') : '…'}</code>
          </span>
          <span className="secondary">{t('callbacks.refusedHow')}</span>
        </div>
      }
    />
  );
}
