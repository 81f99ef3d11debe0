import { Alert, Button, Tag } from 'antd';
import type { SchedulePreview } from '../../../../src/admin/contract/jobs.js';
import { type Column, DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { Instant } from '../../components/instant';
import { type Translate, useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { browserZone, durationText, relativeText } from '../../lib/times';

type Fire = SchedulePreview['fires'][number] & { gapMs: number | null };

/** The kinds that end when no fire is left; the others fire when something happens. */
const FORESEEN = new Set<SchedulePreview['schedule']['kind']>(['cron', 'every', 'once']);

/** What a person should know of the schedule; null of what the server has learnt to say since. */
function noteText(code: string, { schedule }: SchedulePreview, t: Translate): string | null {
  if (code === 'either_day') return t('fires.either_day');
  const expression = schedule.kind === 'cron' ? schedule.expression : '';
  return code === 'quartz_rewritten' ? t('fires.quartz_rewritten', { expression }) : null;
}

/** Fires in the job's zone as the server computed them, with what is unusual about them. `onSpread`: keeps it apart from others. */
export function FireList({ preview, onSpread }: { preview: SchedulePreview; onSpread?: () => void }) {
  const t = useT();
  const { zone, language } = usePreferences();
  const shown = zone ?? browserZone();
  const fires: Fire[] = preview.fires.map((fire, i) => {
    const before = preview.fires[i - 1];
    return { ...fire, gapMs: before ? Date.parse(fire.at) - Date.parse(before.at) : null };
  });
  const weekday = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: preview.timeZone });
  const weekdayOf = (at: string) => weekday.format(Date.parse(at));
  const columns: Column<Fire>[] = [
    {
      key: 'local',
      title: `${t('jobs.fireIn')} ${preview.timeZone}`,
      cell: ({ at, local, offset }) => (
        <span className="mono" data-fire>
          {local} {weekdayOf(at)} <span className="secondary">{offset}</span>
        </span>
      ),
    },
    ...(preview.timeZone === shown ? [] : [{ key: 'display', title: shown, cell: ({ at }: Fire) => <Instant at={at} /> }]),
    {
      key: 'relative',
      title: t('jobs.relative'),
      cell: ({ at }) => <span className="one-line">{relativeText(Date.parse(at), Date.now(), language, preview.timeZone)}</span>,
    },
    { key: 'gap', title: t('jobs.gap'), numeric: true, cell: ({ gapMs }) => (gapMs === null ? '' : durationText(gapMs, t)) },
  ];
  return (
    <div className="stack">
      {(preview.badges.length > 0 || preview.clashes > 0) && (
        <div className="row">
          {preview.badges.map((badge) => (
            <Tag key={badge} color="warning">
              {t(`fires.${badge}`)}
            </Tag>
          ))}
          {preview.clashes > 0 && <Tag>{t('fires.clashes', { n: preview.clashes })}</Tag>}
          {preview.clashes > 0 && onSpread && !preview.schedule.jitterMs && (
            <Button size="small" onClick={onSpread}>
              {t('fires.spread')}
            </Button>
          )}
        </div>
      )}
      {preview.notes.map(({ code, message }) => (
        <Alert key={code} type="info" showIcon title={noteText(code, preview, t) ?? message} />
      ))}
      <DataTable
        label={t('jobs.fires')}
        columns={columns}
        rows={fires}
        rowId={({ at }) => at}
        empty={<Empty text={t(FORESEEN.has(preview.schedule.kind) ? 'fires.none' : 'fires.unknown')} />}
      />
    </div>
  );
}
