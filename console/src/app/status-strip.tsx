import { WarningOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button, Tooltip } from 'antd';
import type { NoticeKind, Notices } from '../../../src/admin/contract/system.js';
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
const PLACES: Record<NoticeKind, (objects: readonly string[]) => string> = {
  maintenance_hold: () => '/settings',
  partition_unheld: () => '/system',
  group_without_worker: (objects) => placeOf('/groups', objects),
  clock_skew: (objects) => placeOf('/workers', objects),
  callbacks_late: () => '/callbacks',
  group_held: (objects) => placeOf('/groups', objects),
  database_slow: () => '/system',
};
const placeOf = (list: string, [first, ...more]: readonly string[]): string =>
  first !== undefined && more.length === 0 ? `${list}/${segment(first)}` : list;
/** More names than these would push other notices away. */
const NAMED = 3;

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
        {data.notices.map((notice) => (
          <NoticeLine key={notice.kind} notice={notice} />
        ))}
      </ul>
    </aside>
  );
}

/**
 * What is wrong, with the names of whom it is about: a few in the line, those that were told on hover and focus, and to whom it is read.
 * Nodes of the version before name nobody so.
 */
function NoticeLine({ notice: { kind, count, objects = [], until } }: { notice: Notices['notices'][number] }) {
  const t = useT();
  const text = (named: number) => {
    const names = objects.slice(0, named).map(marksShown).join(t('punctuation.comma'));
    const left = objects.length > 0 ? count - Math.min(named, objects.length) : 0;
    return t(`notice.${kind}`, { n: count, names: left > 0 ? t('notice.namesMore', { names, n: left }) : names });
  };
  const whole = text(objects.length);
  const short = text(NAMED);
  return (
    <li>
      <bdi>{short}</bdi>{' '}
      {until && (
        <>
          {t('groups.until')} <Instant at={until} />{' '}
        </>
      )}
      <Tooltip title={short === whole ? undefined : whole} trigger={['hover', 'focus']}>
        <Link to={PLACES[kind](objects)} aria-label={`${t('notice.look')}: ${whole}`}>
          {t('notice.look')}
        </Link>
      </Tooltip>
    </li>
  );
}
