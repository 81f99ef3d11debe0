import type { TimelineEntry } from '@evenkeel/sdk/contract';
import type { TaskDetail } from '../../../../src/admin/contract/tasks.js';
import { type Column, DataTable } from '../../components/data-table';
import { Instant } from '../../components/instant';
import { FAMILY_OF, StateTag } from '../../components/state-tag';
import { useCodeText, useT } from '../../lib/i18n';
import { useNow } from '../../lib/now';
import { durationText } from '../../lib/times';
import { hasEnded } from './task-deeds';
import './tasks.css';

/** So many words stand beside each other uncut. */
const FEW = 6;

/** How long it spent in each state, drawn; and every step with who and why. */
export function Timeline({ task }: { task: TaskDetail }) {
  const t = useT();
  const code = useCodeText();
  const { timeline } = task;
  const columns: Column<TimelineEntry>[] = [
    { key: 'seq', title: '#', numeric: true, cell: ({ seq }) => seq },
    {
      key: 'at',
      title: t('task.at'),
      cell: ({ at, count, lastAt }) => (
        <span>
          <Instant at={at} />
          {count && count > 1 ? (
            <span className="secondary">
              {' '}
              ×{count}
              {lastAt ? (
                <>
                  {' '}
                  … <Instant at={lastAt} />
                </>
              ) : null}
            </span>
          ) : null}
        </span>
      ),
    },
    { key: 'to', title: t('task.state'), cell: ({ seq, to }) => <StateTag state={to} past={seq !== timeline.at(-1)?.seq} /> },
    { key: 'reason', title: t('task.reason'), cell: ({ reason }) => (reason ? code('reason', reason) : '') },
    { key: 'attempt', title: t('task.attempt'), numeric: true, cell: ({ attempt }) => attempt ?? '' },
    { key: 'worker', title: t('task.worker'), cell: ({ worker }) => <bdi>{worker ?? ''}</bdi> },
    { key: 'actor', title: t('task.actor'), cell: ({ actor }) => <bdi className="mono">{actor}</bdi> },
  ];
  return (
    <div className="stack timeline">
      <StateBand timeline={timeline} ended={hasEnded(task)} />
      <DataTable label={t('task.timeline')} columns={columns} rows={timeline} rowId={({ seq }) => String(seq)} empty="" />
    </div>
  );
}

/** The state it is in now is drawn too, up to now, and grows. */
function StateBand({ timeline, ended }: { timeline: readonly TimelineEntry[]; ended: boolean }) {
  const t = useT();
  const now = useNow(!ended);
  const moves = timeline.filter(({ from, to }) => from !== to);
  const spans = (ended ? moves.slice(0, -1) : moves).map((entry, i) => {
    const next = moves[i + 1];
    return { entry, ms: Math.max(0, (next ? Date.parse(next.at) : now) - Date.parse(entry.at)) };
  });
  const total = spans.reduce((sum, { ms }) => sum + ms, 0);
  if (total === 0) return null;
  // Of few states each can be read.
  const least = spans.length <= FEW ? 0.1 : 0.02;
  return (
    <div
      className="band"
      data-few={spans.length <= FEW || undefined}
      role="img"
      aria-label={spans.map(({ entry, ms }) => `${t(`state.${entry.to}`)} ${durationText(ms, t)}`).join(', ')}
    >
      {spans.map(({ entry, ms }) => (
        <span
          key={entry.seq}
          className={`state-${FAMILY_OF[entry.to]}`}
          style={{ flexGrow: Math.max(ms / total, least) }}
          title={`${t(`state.${entry.to}`)} · ${durationText(ms, t)}`}
        >
          <i />
          <b>
            {t(`state.${entry.to}`)} {durationText(ms, t)}
          </b>
        </span>
      ))}
    </div>
  );
}
