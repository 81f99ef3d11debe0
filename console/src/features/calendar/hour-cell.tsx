import { Link } from '@tanstack/react-router';
import { useT } from '../../lib/i18n';

/** Fires of an hour: with a task, failed, without one although there should be, and still to come. */
export interface HourFires {
  count: number;
  failed: number;
  missing: number;
  ahead: number;
}
export interface HourSpan {
  when: string;
  from: string;
  to: string;
  isOver: boolean;
}

/** One hour, of one job or of all; leads to what is behind it. What failed or is missing is said by a mark too, not by colour alone. */
export function HourCell({ fires, most, span, jobId }: { fires: HourFires; most: number; span: HourSpan; jobId?: string }) {
  const t = useT();
  const { count, failed, missing, ahead } = fires;
  if (count + missing === 0) return <td />;
  const strength = count === 0 ? 0 : 0.15 + 0.85 * Math.sqrt(count / most);
  const said = [
    span.when,
    ...(count > ahead ? [t('calendar.fired', { n: count - ahead })] : []),
    ...(ahead > 0 ? [t('calendar.fires', { n: ahead })] : []),
    ...(failed > 0 ? [t('calendar.failed', { n: failed })] : []),
    ...(missing > 0 ? [t('calendar.missing', { n: missing })] : []),
  ].join(' · ');
  const text = `${count > 0 ? count : ''}${failed > 0 ? '✕' : ''}${missing > 0 ? '○' : ''}`;
  const behind = span.isOver
    ? { to: '/tasks', search: { job: jobId, trigger: jobId ? undefined : 'schedule', from: span.from, to: span.to } }
    : jobId
      ? { to: `/jobs/${jobId}`, search: { tab: 'schedule' } }
      : { to: '/jobs', search: { firesBefore: span.to, sort: 'next' } };
  return (
    <td
      style={{ '--strength': strength } as React.CSSProperties}
      data-count={count}
      data-failed={failed > 0 || undefined}
      data-missing={missing > 0 || undefined}
    >
      <Link to={behind.to} search={behind.search as never} title={said} aria-label={said}>
        {text}
      </Link>
    </td>
  );
}
