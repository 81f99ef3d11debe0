import { weekdayReadings } from '../../console/src/features/jobs/weekday-numbers.js';
import { readCron } from '../../src/decisions/schedule/cron-expression.js';

/** What the scheduler makes of it, without how it was written. */
function meaning(expression: string, dialect: 'unix' | 'quartz') {
  const { dayOfWeek, dayOfMonth, seconds, hours } = readCron(expression, dialect);
  const { days, nth } = dayOfWeek;
  return {
    days: [...days].sort(),
    nth: [...nth].sort(),
    dayOfMonth: [...dayOfMonth.days],
    seconds: [...seconds],
    hours: [...hours],
  };
}

describe('weekday numbers of an expression', () => {
  it.each([
    '0 15 10 ? * 6#3',
    '0 15 10 ? * 2-6',
    '0 15 10 ? * 1,7',
    '0 15 10 ? * 6L',
    '0 15 10 ? * 2/2 2030',
    '0 15 10 ? * MON,4',
  ])('%s is read by each counting as the scheduler reads it in that dialect', (expression) => {
    const readings = weekdayReadings(expression);
    expect(readings).not.toBeNull();
    const { quartz, crontab } = readings as NonNullable<typeof readings>;
    expect(meaning(quartz, 'unix')).toEqual(meaning(expression, 'quartz'));
    expect(meaning(crontab, 'unix')).toEqual(meaning(expression, 'unix'));
    expect(`${quartz} ${crontab}`.split(' ')[5]).not.toMatch(/(^|[,-])\d/);
  });

  it.each(['0 15 10 ? * FRI#3', '0 15 10 * * *', '15 10 * * 6', '0 0/5 * ? * */2', '0 15 10 ? * 0', '0 15 10 ? * 8', '0 15', ''])(
    'are not asked about in %p',
    (expression) => expect(weekdayReadings(expression)).toBeNull(),
  );
});
