import { Link } from '@tanstack/react-router';
import { useT } from '../../lib/i18n';
import { GAPS, type HourFires, isNothing, MARKED, MARKS } from './hour-fires';

export interface HourSpan {
  when: string;
  from: string;
  to: string;
  isOver: boolean;
}

interface Shown {
  fires: HourFires;
  most: number;
  span: HourSpan;
  jobId?: string;
  /** The job does not fire then, whatever its schedule. */
  outside?: 'before' | 'after';
  /** So many jobs fire at one instant of it. */
  clash?: number;
}

/** One hour, of one job or of all; leads to what is behind it. What is not as it should be is said by a mark too, not by colour alone. */
export function HourCell({ fires, most, span, jobId, outside, clash }: Shown) {
  const t = useT();
  const { count, ahead } = fires;
  if (isNothing(fires)) return <td data-outside={outside} title={outside && t(`calendar.outside.${outside}`)} />;
  const strength = count === 0 ? 0 : 0.15 + 0.85 * Math.sqrt(count / most);
  const marked = MARKED.filter((mark) => fires[mark] > 0);
  const said = [
    span.when,
    ...(count > ahead ? [t('calendar.fired', { n: count - ahead })] : []),
    ...(ahead > 0 ? [t('calendar.fires', { n: ahead })] : []),
    ...marked.map((mark) => t(`calendar.${mark}`, { n: fires[mark] })),
    ...(clash ? [t('calendar.clashHere', { n: clash })] : []),
  ].join(' · ');
  const { to, search } = behind(fires, span, jobId);
  return (
    <td
      style={{ '--strength': strength } as React.CSSProperties}
      data-count={count}
      data-clash={clash}
      data-marks={marked.length > 0 ? marked.join(' ') : undefined}
    >
      <Link to={to} search={search as never} title={said} aria-label={said}>
        {count > 0 ? count : ''}
        {marked.map((mark) => MARKS[mark]).join('')}
        {clash ? '▲' : ''}
      </Link>
    </td>
  );
}

/** Its tasks; where it has none, who paused the job or what it is; or what is still to come. */
function behind(fires: HourFires, span: HourSpan, jobId: string | undefined): { to: string; search: object } {
  if (!span.isOver)
    return jobId
      ? { to: `/jobs/${jobId}`, search: { tab: 'schedule' } }
      : { to: '/jobs', search: { firesBefore: span.to, sort: 'next' } };
  if (jobId && fires.count === 0) {
    const stopped = GAPS.some((gap) => gap !== 'missing' && gap !== 'missed' && fires[gap] > 0);
    return { to: `/jobs/${jobId}`, search: { tab: stopped ? 'audit' : undefined } };
  }
  return { to: '/tasks', search: { job: jobId, trigger: jobId ? undefined : 'schedule', from: span.from, to: span.to } };
}
