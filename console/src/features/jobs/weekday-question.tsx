import { Alert, Button } from 'antd';
import { useT } from '../../lib/i18n';
import { type Counting, weekdayReadings } from './weekday-numbers';

const COUNTINGS: readonly Counting[] = ['quartz', 'crontab'];

/** Asks how weekday numbers are counted, and writes names instead: nobody finds out a day too late. */
export function WeekdayQuestion({ expression, onAnswer }: { expression: string; onAnswer: (expression: string) => void }) {
  const t = useT();
  const readings = weekdayReadings(expression);
  if (!readings) return null;
  return (
    <Alert
      type="warning"
      showIcon
      role="alert"
      title={t('cron.weekdayNumbers')}
      description={
        <div className="row">
          {COUNTINGS.map((counting) => (
            <Button key={counting} onClick={() => onAnswer(readings[counting])}>
              {t(`cron.counting.${counting}`, { days: readings[counting].split(' ')[5] ?? '' })}
            </Button>
          ))}
        </div>
      }
    />
  );
}
