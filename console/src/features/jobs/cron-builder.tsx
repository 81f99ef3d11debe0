import { Input, InputNumber, Segmented, Select, TimePicker } from 'antd';
import dayjs from 'dayjs';
import { useT } from '../../lib/i18n';
import { type CronShape, expressionOf, shapeOf, WEEKDAYS, type Weekday } from './cron-shapes';

const TABS = ['every', 'daily', 'weekly', 'monthly', 'expression'] as const;
const START: { [Tab in Exclude<CronShape['tab'], 'expression'>]: Extract<CronShape, { tab: Tab }> } = {
  every: { tab: 'every', unit: 'minute', n: 5 },
  daily: { tab: 'daily', at: '03:00' },
  weekly: { tab: 'weekly', at: '09:30', days: ['MON', 'TUE', 'WED', 'THU', 'FRI'] },
  monthly: { tab: 'monthly', at: '03:00', on: 1 },
};

/** Cron by choosing. It never makes an expression that fires every second; what it cannot say is typed. */
export function CronBuilder({
  value,
  onChange,
  tab,
  onTab,
  disabled,
}: {
  value: string;
  onChange: (expression: string) => void;
  tab: CronShape['tab'];
  onTab: (tab: CronShape['tab']) => void;
  disabled?: boolean;
}) {
  const t = useT();
  const parsed = shapeOf(value);
  const shape: CronShape = tab === 'expression' ? { tab } : parsed.tab === tab ? parsed : START[tab];
  const set = (next: Exclude<CronShape, { tab: 'expression' }>) => onChange(expressionOf(next));
  return (
    <div className="stack">
      <Segmented
        aria-label={t('cron.builder')}
        disabled={disabled}
        value={tab}
        options={TABS.map((name) => ({ value: name, label: t(`cron.${name}`) }))}
        onChange={(next) => {
          onTab(next);
          if (next !== 'expression' && shapeOf(value).tab !== next) set(START[next]);
        }}
      />
      {shape.tab === 'every' && (
        <div className="row">
          {t('cron.each')}
          <InputNumber
            aria-label={t('cron.number')}
            disabled={disabled}
            min={1}
            max={shape.unit === 'minute' ? 59 : 23}
            value={shape.n}
            onChange={(n) => set({ ...shape, n: n ?? 1 })}
          />
          <Select
            aria-label={t('cron.unit')}
            disabled={disabled}
            value={shape.unit}
            options={(['minute', 'hour'] as const).map((unit) => ({ value: unit, label: t(`cron.unit.${unit}`) }))}
            onChange={(unit) => set({ ...shape, unit, n: Math.min(shape.n, unit === 'hour' ? 23 : 59) })}
          />
        </div>
      )}
      {shape.tab === 'weekly' && (
        <Select
          mode="multiple"
          aria-label={t('cron.weekdays')}
          disabled={disabled}
          value={shape.days}
          options={WEEKDAYS.map((day) => ({ value: day, label: t(`cron.day.${day}`) }))}
          onChange={(days: Weekday[]) => set({ ...shape, days })}
        />
      )}
      {shape.tab === 'monthly' && <MonthlyFields shape={shape} set={set} disabled={disabled} />}
      {(shape.tab === 'daily' || shape.tab === 'weekly' || shape.tab === 'monthly') && (
        <div className="row">
          {t('cron.at')}
          <TimePicker
            aria-label={t('cron.at')}
            disabled={disabled}
            format="HH:mm"
            allowClear={false}
            value={dayjs(`2026-01-01T${shape.at}`)}
            onChange={(time) => time && set({ ...shape, at: time.format('HH:mm') })}
            // It takes the time that was typed, and does not save the job too.
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          />
        </div>
      )}
      <Input
        className="mono"
        aria-label={t('cron.expression')}
        disabled={disabled}
        value={value}
        readOnly={tab !== 'expression'}
        onChange={({ target }) => onChange(target.value)}
      />
      {tab === 'expression' && <span className="secondary">{t('cron.help')}</span>}
    </div>
  );
}

type Monthly = Extract<CronShape, { tab: 'monthly' }>;

function MonthlyFields({ shape, set, disabled }: { shape: Monthly; set: (shape: Monthly) => void; disabled?: boolean }) {
  const t = useT();
  const kind = shape.on === 'L' ? 'last' : typeof shape.on === 'number' ? 'day' : 'weekday';
  return (
    <div className="row">
      <Select
        aria-label={t('cron.monthlyKind')}
        disabled={disabled}
        value={kind}
        options={(['day', 'last', 'weekday'] as const).map((value) => ({ value, label: t(`cron.monthly.${value}`) }))}
        onChange={(next) => set({ ...shape, on: next === 'last' ? 'L' : next === 'day' ? 1 : { nth: 1, day: 'MON' } })}
      />
      {typeof shape.on === 'number' && (
        <InputNumber
          aria-label={t('cron.monthly.day')}
          disabled={disabled}
          min={1}
          max={31}
          value={shape.on}
          onChange={(on) => set({ ...shape, on: on ?? 1 })}
        />
      )}
      {typeof shape.on === 'object' && (
        <NthWeekday value={shape.on} disabled={disabled} onChange={(on) => set({ ...shape, on })} />
      )}
    </div>
  );
}

type Nth = Extract<Monthly['on'], object>;

function NthWeekday({ value, onChange, disabled }: { value: Nth; onChange: (value: Nth) => void; disabled?: boolean }) {
  const t = useT();
  return (
    <>
      <Select
        aria-label={t('cron.nth')}
        disabled={disabled}
        value={value.nth}
        options={([1, 2, 3, 4, 'L'] as const).map((nth) => ({ value: nth, label: t(`cron.nth.${nth}`) }))}
        onChange={(nth) => onChange({ ...value, nth })}
      />
      <Select
        aria-label={t('cron.weekdays')}
        disabled={disabled}
        value={value.day}
        options={WEEKDAYS.map((day) => ({ value: day, label: t(`cron.day.${day}`) }))}
        onChange={(day) => onChange({ ...value, day })}
      />
    </>
  );
}
