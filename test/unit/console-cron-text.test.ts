import { cronText } from '../../console/src/lib/cron-text.js';

describe('the sentence of a cron expression', () => {
  it.each([
    ['0 5 * * *', '每天 05:00', 'At 05:00, every day'],
    ['30 2 * * MON-FRI', '周一至周五 02:30', 'At 02:30, Monday through Friday'],
    ['0 0 29 2 *', '每月 29 号，仅于二月份 00:00', 'At 00:00, on day 29 of the month, only in February'],
    ['0 9,18 * * *', '每天 09:00 和 18:00', 'At 09:00 and 18:00, every day'],
    ['0 9 * * MON#2', '每月的第二个周一 09:00', 'At 09:00, on the second Monday of the month'],
  ])('names the days of %s and then the time', (expression, zh, en) => {
    expect(cronText(expression, 'zh-CN')).toBe(zh);
    expect(cronText(expression, 'en')).toBe(en);
  });

  it.each([
    ['*/5 * * * *', '每隔 5 分钟', 'Every 5 minutes'],
    ['0 * * * *', '每小时', 'Every hour'],
    ['15 */2 * * *', '整点后的第 15 分钟，每隔 2 小时', 'At 15 minutes past the hour, every 2 hours'],
  ])('does not add to %s that it is so every hour and every day', (expression, zh, en) => {
    expect(cronText(expression, 'zh-CN')).toBe(zh);
    expect(cronText(expression, 'en')).toBe(en);
  });

  it('shows what it cannot read as it is', () => {
    expect(cronText('61 * * * *', 'en')).toBe('61 * * * *');
  });
});
