import { Button } from 'antd';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { distinctLabels } from '../lib/distinct-labels';
import { useT } from '../lib/i18n';
import { usePreferences } from '../lib/preferences';
import { instantText } from '../lib/times';
import { hasWholeTicks, WHOLE } from '../lib/whole-ticks';
import './chart.css';
import './data-table.css';

export interface Series {
  label: string;
  /** A CSS variable or colour. */
  color: string;
  /** One value per instant; null is a gap, not zero. */
  values: readonly (number | null)[];
}
export interface ChartProps {
  title: string;
  /** Epoch milliseconds. */
  at: readonly number[];
  series: readonly Series[];
  format?: (value: number) => string;
  stacked?: boolean;
  log?: boolean;
  height?: number;
  /** The bucket from here on is not over yet. */
  incompleteFrom?: number;
  /** A range was brushed, in epoch milliseconds. */
  onBrush?: (from: number, to: number) => void;
}

/** A time chart and, for whoever reads rather than looks, the same numbers as a table. */
export function Chart(props: ChartProps) {
  const t = useT();
  const id = useId();
  const [asTable, setAsTable] = useState(false);
  const { zone } = usePreferences();
  return (
    <section className="panel chart" aria-labelledby={id}>
      <div className="spread">
        <h2 id={id}>{props.title}</h2>
        <Button size="small" type="text" onClick={() => setAsTable(!asTable)}>
          {asTable ? t('chart.asChart') : t('chart.asTable')}
        </Button>
      </div>
      {props.at.length === 0 ? (
        <p className="secondary">{t('chart.empty')}</p>
      ) : asTable ? (
        <ChartTable {...props} zone={zone} />
      ) : (
        <Plot {...props} zone={zone} />
      )}
    </section>
  );
}

interface Zoned {
  zone: string | null;
}

function ChartTable({ title, at, series, format = String, zone }: ChartProps & Zoned) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="chart-table" tabIndex={0} aria-label={title}>
      <table className="data-table">
        <thead>
          <tr>
            <th scope="col">{zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}</th>
            {series.map(({ label }) => (
              <th key={label} scope="col" className="numeric">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {at.map((instant, i) => (
            <tr key={instant}>
              <td>{instantText(instant, zone)}</td>
              {series.map(({ label, values }) => {
                const value = values[i];
                return (
                  <td key={label} className="numeric">
                    {text(value, format)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Plot({
  title,
  at,
  series,
  format = String,
  stacked = false,
  log = false,
  height = 160,
  incompleteFrom,
  onBrush,
  zone,
}: ChartProps & Zoned) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const { theme } = usePreferences();
  const t = useT();
  const timeLabel = t('chart.time');
  const keys = t('chart.keys');
  const brush = useRef(onBrush);
  brush.current = onBrush;
  const data = useMemo(() => dataOf(at, series, stacked), [at, series, stacked]);
  // A stack is drawn from its top down: each lower one covers its part of the one above.
  const drawn = stacked ? [...series].reverse() : series;
  const values = useRef(drawn);
  values.current = drawn;
  const isWhole = hasWholeTicks(series, format === String);
  const shape = series.map(({ label, color }) => `${label} ${color}`).join('|');
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const style = getComputedStyle(document.documentElement);
    const resolved = (color: string) => (color.startsWith('var(') ? style.getPropertyValue(color.slice(4, -1)).trim() : color);
    const axis = {
      font: `12px ${resolved('var(--sans)')}`,
      stroke: resolved('var(--text-secondary)'),
      grid: { stroke: resolved('var(--line)'), width: 0.5 },
      ticks: { show: false },
    };
    const span = at.length > 1 ? (at[at.length - 1] as number) - (at[0] as number) : 0;
    const day = (seconds: number) => instantText(seconds * 1_000, zone).slice(0, 11);
    const minute = (seconds: number) => instantText(seconds * 1_000, zone).slice(-8, -3);
    const second = (seconds: number) => instantText(seconds * 1_000, zone).slice(-8);
    const fraction = (seconds: number) => `${second(seconds)}.${String(Math.round(seconds * 1_000) % 1_000).padStart(3, '0')}`;
    // Several ticks fall into one minute of a short range, or into one second.
    const forms = span > 2 * 86_400_000 ? [day] : span < 600_000 ? [second, fraction] : [minute, second];
    const made = new uPlot(
      {
        width: element.clientWidth || 400,
        height,
        legend: { live: true },
        cursor: { drag: { x: Boolean(onBrush), y: false, setScale: false }, y: false },
        scales: { y: { distr: log ? 3 : 1, range: log ? undefined : (_, __, max) => [0, Math.max(1, max * 1.1)] } },
        axes: [
          { ...axis, size: 30, space: 80, values: (_, splits) => distinctLabels(splits, forms) },
          {
            ...axis,
            size: (self, values) => Math.max(56, widest(self.ctx, axis.font, values ?? []) + 16),
            space: 24,
            incrs: isWhole ? WHOLE : undefined,
            values: (_, splits) => splits.map((value) => (value === null ? '' : format(value))),
          },
        ],
        series: [
          { label: timeLabel, value: (_, seconds) => (seconds === null ? '–' : instantText(seconds * 1_000, zone)) },
          ...drawn.map(({ label, color }, nth) => ({
            label,
            stroke: resolved(color),
            fill: stacked ? resolved(color) : undefined,
            width: 1.5,
            // A value between two gaps would draw no line.
            points: { show: (self: uPlot, i: number) => (self.data[i] ?? []).filter((each) => each !== null).length < 4 },
            value: (_: uPlot, __: number, ___: number, index: number | null) => {
              const value = index === null ? null : values.current[nth]?.values[index];
              return text(value, format);
            },
          })),
        ],
        hooks: {
          setSelect: [
            (self) => {
              if (self.select.width < 4) return;
              const [from, to] = [self.posToVal(self.select.left, 'x'), self.posToVal(self.select.left + self.select.width, 'x')];
              brush.current?.(Math.floor(from * 1_000), Math.ceil(to * 1_000));
            },
          ],
          drawAxes: [(self) => shadeIncomplete(self, incompleteFrom)],
        },
      },
      data,
      element,
    );
    plot.current = made;
    const resize = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape, stacked, log, height, theme, zone, timeLabel, isWhole, at.length > 0]);
  useEffect(() => plot.current?.setData(data), [data]);
  // Where the pointer would be, one instant at a time: what a mouse reads, arrows read too.
  const [read, setRead] = useState<number | null>(null);
  function step({ key, preventDefault }: { key: string; preventDefault: () => void }) {
    const last = at.length - 1;
    const from = read ?? last + 1;
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last }[key];
    if (to === undefined) return;
    preventDefault();
    const next = Math.min(Math.max(to, 0), last);
    setRead(next);
    plot.current?.setCursor({ left: plot.current.valToPos((at[next] as number) / 1_000, 'x'), top: 0 });
  }
  const told =
    read !== null && at[read] !== undefined
      ? [instantText(at[read], zone), ...series.map(({ label, values: all }) => `${label} ${text(all[read], format)}`)].join(', ')
      : '';
  return (
    <>
      <div
        ref={host}
        role="img"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its figures are read with the arrow keys
        tabIndex={0}
        aria-label={`${title}. ${keys}`}
        onKeyDown={(event) => step({ key: event.key, preventDefault: () => event.preventDefault() })}
      />
      <span className="visually-hidden" role="status">
        {told}
      </span>
    </>
  );
}

/** The width of the widest label in CSS pixels, as the size of an axis is. */
function widest(ctx: CanvasRenderingContext2D, font: string, labels: readonly string[]): number {
  ctx.save();
  ctx.font = font;
  const width = Math.max(0, ...labels.map((label) => ctx.measureText(label).width));
  ctx.restore();
  return Math.ceil(width);
}

const text = (value: number | null | undefined, format: (value: number) => string) =>
  value === null || value === undefined ? '–' : format(value);

function dataOf(at: readonly number[], series: readonly Series[], stacked: boolean): uPlot.AlignedData {
  const seconds = at.map((instant) => instant / 1_000);
  if (!stacked) return [seconds, ...series.map(({ values }) => [...values])] as uPlot.AlignedData;
  const sums = at.map(() => 0);
  const stacks = series.map(({ values }) => values.map((value, i) => (sums[i] = (sums[i] as number) + (value ?? 0))));
  return [seconds, ...stacks.reverse()] as uPlot.AlignedData;
}

function shadeIncomplete(self: uPlot, from: number | undefined): void {
  if (from === undefined) return;
  const left = self.valToPos(from / 1_000, 'x', true);
  const { left: start, top, width, height } = self.bbox;
  if (left > start + width) return;
  const x = Math.max(left, start);
  self.ctx.save();
  self.ctx.globalAlpha = 0.08;
  self.ctx.fillStyle = '#888';
  self.ctx.fillRect(x, top, start + width - x, height);
  self.ctx.restore();
}
