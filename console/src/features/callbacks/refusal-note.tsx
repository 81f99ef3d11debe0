import { useQuery } from '@tanstack/react-query';
import { Alert } from 'antd';
import type { AppCallbacks } from '../../../../src/admin/contract/callbacks.js';
import { api, segment } from '../../api/client';
import { useCodeText, useT } from '../../lib/i18n';

/**
 * A target this installation refuses is no failure of the receiver: by which rule, and who may open it, and how. `guard`: null for
 * attempts of before it was kept.
 */
export function RefusalNote({
  app,
  url,
  guard,
}: {
  app: { id: string; name: string } | null;
  url: string;
  guard: string | null;
}) {
  const t = useT();
  const code = useCodeText();
  const appId = app?.id;
  const { data } = useQuery({
    queryKey: ['callbacks', 'hosts', appId],
    queryFn: ({ signal }) => api.get<AppCallbacks>(`apps/${segment(appId as string)}/callbacks`, undefined, signal),
    enabled: appId !== undefined && (guard === null || guard === 'host_not_verified'),
  });
  return (
    <Alert
      type="warning"
      showIcon
      title={t('callbacks.refused')}
      description={
        <div className="stack" style={{ gap: 4 }}>
          <strong>{code('callbackGuard', guard ?? 'unknown')}</strong>
          <bdi className="mono">{url}</bdi>
          {data && (
            <span>
              {t('callbacks.refusedHosts')} <code>{data.hosts.join(', ') || t('callbacks.noHosts')}</code>
            </span>
          )}
          <span>{code('callbackGuardToDo', guard ?? 'unknown')}</span>
          <span className="secondary">{t('callbacks.refusedWhy')}</span>
        </div>
      }
    />
  );
}
