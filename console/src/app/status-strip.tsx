import { WarningOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from 'antd';
import type { NoticeKind } from '../../../src/admin/contract/system.js';
import { segment } from '../api/client';
import { useLookAgain } from '../api/look-again';
import { noticesQuestion } from '../api/notices';
import { Instant } from '../components/instant';
import { marksShown } from '../lib/direction-marks';
import { useT } from '../lib/i18n';

const EVERY_MS = 15_000;
/** The file this page was started by: another one at the server means that there is a new build. */
const OWN = document.querySelector<HTMLScriptElement>('script[type=module][src*="/assets/"]')?.src.split('/').at(-1);

/** Where each kind is dealt with: the one object's page, or the list. */
const PLACES: Record<NoticeKind, (object: string | null, count: number) => string> = {
  maintenance_hold: () => '/settings',
  partition_unheld: () => '/system',
  group_without_worker: (object, count) => (count === 1 && object ? `/groups/${segment(object)}` : '/groups'),
  clock_skew: (object, count) => (count === 1 && object ? `/workers/${segment(object)}` : '/workers'),
  callbacks_late: () => '/callbacks',
  group_held: (object, count) => (count === 1 && object ? `/groups/${segment(object)}` : '/groups'),
  database_slow: () => '/system',
};

/** Under the top bar, and only while something is wrong: what, how much of it, and the page where it is dealt with. */
export function StatusStrip() {
  const t = useT();
  const { data } = useQuery({
    ...noticesQuestion,
    refetchInterval: useLookAgain(EVERY_MS),
  });
  const isOld = Boolean(OWN && data?.console && data.console !== OWN);
  if (!data || (data.notices.length === 0 && !isOld)) return null;
  return (
    <aside className="status-strip" aria-label={t('notice.strip')}>
      <WarningOutlined aria-hidden="true" />
      <ul>
        {isOld && (
          <li>
            {t('notice.new_version')}{' '}
            <Button size="small" type="link" onClick={() => location.reload()}>
              {t('notice.reload')}
            </Button>
          </li>
        )}
        {data.notices.map(({ kind, count, object, until }) => (
          <li key={kind}>
            <bdi>{t(`notice.${kind}`, { n: count, object: marksShown(object ?? '') })}</bdi>{' '}
            {until && (
              <>
                {t('groups.until')} <Instant at={until} />{' '}
              </>
            )}
            <Link
              to={PLACES[kind](object, count)}
              aria-label={`${t('notice.look')}: ${t(`notice.${kind}`, { n: count, object: marksShown(object ?? '') })}`}
            >
              {t('notice.look')}
            </Link>
          </li>
        ))}
      </ul>
    </aside>
  );
}
