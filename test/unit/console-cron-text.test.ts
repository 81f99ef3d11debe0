import { readCron } from '../../src/decisions/schedule/cron-expression.js';

/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { cronText } = jest.requireActual<{ cronText: (expression: string, language: 'zh-CN' | 'en') => string }>(
  '../../console/src/lib/cron-text',
);

describe('the sentence of a cron expression', () => {
  it.each([
    ['* * * * *', '每分钟', 'Every minute'],
    ['*/5 * * * *', '每隔 5 分钟', 'Every 5 minutes'],
    ['0 * * * *', '每小时', 'Every hour'],
    ['15 */2 * * *', '每天 00:15 至 22:15，每隔 2 小时一次', 'Every 2 hours from 00:15 through 22:15'],
    ['0 */2 * * *', '每隔 2 小时', 'Every 2 hours'],
    ['30 * * * *', '每小时的第 30 分钟', 'At minute 30 of every hour'],
    ['0,30 * * * *', '每小时的第 0 和 30 分钟', 'At minutes 0 and 30 of every hour'],
    [
      '*/10 9-17 * * MON-FRI',
      '周一至周五 09:00 至 17:50，每隔 10 分钟一次',
      'Every 10 minutes from 09:00 through 17:50, Monday through Friday',
    ],
    ['0 9-17 * * *', '每天 09:00 至 17:00，每小时一次', 'Every hour from 09:00 through 17:00'],
    ['0 9-17/2 * * *', '每天 09:00 至 17:00，每隔 2 小时一次', 'Every 2 hours from 09:00 through 17:00'],
    ['5 0 * * *', '每天 00:05', 'At 00:05, every day'],
    ['30 2 * * MON-FRI', '周一至周五 02:30', 'At 02:30, Monday through Friday'],
    ['0 9 * * MON', '每周一 09:00', 'At 09:00, every Monday'],
    ['0 9 * * MON,WED,FRI', '周一、周三和周五 09:00', 'At 09:00, on Monday, Wednesday and Friday'],
    ['0 9 * * 0,6', '周六和周日 09:00', 'At 09:00, on Saturday and Sunday'],
    ['0 9 * * SAT,SUN', '周六和周日 09:00', 'At 09:00, on Saturday and Sunday'],
    ['0 0 1 * *', '每月 1 日 00:00', 'At 00:00, on day 1 of the month'],
    ['0 0 1,15 * *', '每月 1 日和 15 日 00:00', 'At 00:00, on days 1 and 15 of the month'],
    ['0 0 L * *', '每月最后一天 00:00', 'At 00:00, on the last day of the month'],
    ['0 0 LW * *', '每月最后一个工作日（周一至周五）00:00', 'At 00:00, on the last weekday (Monday to Friday) of the month'],
    ['0 0 L-3 * *', '每月倒数第 4 天 00:00', 'At 00:00, on the day 3 days before the last of the month'],
    [
      '0 0 15W * *',
      '每月离 15 日最近的工作日（周一至周五）00:00',
      'At 00:00, on the weekday (Monday to Friday) nearest to day 15 of the month',
    ],
    [
      '0 0 1W * *',
      '每月离 1 日最近的工作日（周一至周五）00:00',
      'At 00:00, on the weekday (Monday to Friday) nearest to day 1 of the month',
    ],
    ['0 9 * * MON#2', '每月第二个周一 09:00', 'At 09:00, on the second Monday of the month'],
    ['0 9 * * FRIL', '每月最后一个周五 09:00', 'At 09:00, on the last Friday of the month'],
    ['0 9 * * 5L', '每月最后一个周五 09:00', 'At 09:00, on the last Friday of the month'],
    ['0 0 29 2 *', '每年 2 月 29 日 00:00', 'At 00:00, on February 29'],
    ['0 0 1 1 *', '每年 1 月 1 日 00:00', 'At 00:00, on January 1'],
    ['0 0 1 1,7 *', '每年 1 月和 7 月的 1 日 00:00', 'At 00:00, on day 1 of January and July'],
    ['0 0 1 */3 *', '每年 1 月、4 月、7 月和 10 月的 1 日 00:00', 'At 00:00, on day 1 of January, April, July and October'],
    ['0 0 1 3-5 *', '每年 3 月至 5 月的 1 日 00:00', 'At 00:00, on day 1 of March through May'],
    ['0 0 1-7 * MON', '每月 1 日至 7 日以及每周一 00:00', 'At 00:00, on days 1 through 7 of the month and also every Monday'],
    ['0 0 */2 * *', '每月 1 日至 31 日每 2 天的 00:00', 'At 00:00, every 2 days from day 1 through 31 of the month'],
    ['0 9 1 * MON', '每月 1 日以及每周一 09:00', 'At 09:00, on day 1 of the month and also every Monday'],
    ['* * * * * *', '每秒', 'Every second'],
    ['*/10 * * * * *', '每隔 10 秒', 'Every 10 seconds'],
    ['0 0 9 * * *', '每天 09:00', 'At 09:00, every day'],
    ['30 0 9 * * *', '每天 09:00:30', 'At 09:00:30, every day'],
    ['0 */5 * * * *', '每隔 5 分钟', 'Every 5 minutes'],
    ['0 0 0 1 1 * 2027', '2027 年 1 月 1 日 00:00', 'At 00:00, on January 1, in 2027'],
    ['0 0 9 * * * 2026-2028', '2026 年至 2028 年每天 09:00', 'At 09:00, every day, from 2026 through 2028'],
    ['0 0 9 * * * 2026/2', '2026 年至 2098 年每 2 年，每天 09:00', 'At 09:00, every day, every 2 years from 2026 through 2098'],
    ['5/15 * * * *', '每小时的第 5 至 50 分钟，每隔 15 分钟一次', 'Every 15 minutes from minute 5 through 50 of every hour'],
    ['0 22-2 * * *', '每天 00:00、01:00、02:00、22:00 和 23:00', 'At 00:00, 01:00, 02:00, 22:00 and 23:00, every day'],
    ['0 9,18 * * *', '每天 09:00 和 18:00', 'At 09:00 and 18:00, every day'],
    ['0,15 9,18 * * *', '每天 09:00、09:15、18:00 和 18:15', 'At 09:00, 09:15, 18:00 and 18:15, every day'],
    ['0 9,12,18 * * MON-FRI', '周一至周五 09:00、12:00 和 18:00', 'At 09:00, 12:00 and 18:00, Monday through Friday'],
    ['*/7 * * * *', '每小时的第 0 至 56 分钟，每隔 7 分钟一次', 'Every 7 minutes from minute 0 through 56 of every hour'],
    ['0 5/6 * * *', '每天 05:00 至 23:00，每隔 6 小时一次', 'Every 6 hours from 05:00 through 23:00'],
    ['0 8-20/3 * * *', '每天 08:00 至 20:00，每隔 3 小时一次', 'Every 3 hours from 08:00 through 20:00'],
    ['0 0 * JAN MON', '每年 1 月的周一 00:00', 'At 00:00, every Monday in January'],
    ['@daily', '每天 00:00', 'At 00:00, every day'],
    ['0 0 * * *', '每天 00:00', 'At 00:00, every day'],
    ['*/15 2 * * *', '每天 02:00 至 02:45，每隔 15 分钟一次', 'Every 15 minutes from 02:00 through 02:45'],
    ['10-20 * * * *', '每小时的第 10 至 20 分钟，每分钟一次', 'Every minute from minute 10 through 20 of every hour'],
    ['10-20/2 3 * * *', '每天 3 点的第 10 至 20 分钟，每隔 2 分钟一次', 'Every 2 minutes from minute 10 through 20 past hour 3'],
    ['0 0 ? * MON', '每周一 00:00', 'At 00:00, every Monday'],
    ['1-5,10 1 * * *', '每天 1 点的第 1 至 5、10 分钟', 'At minutes 1 through 5 and 10 past hour 1'],
    ['0 0 1-5 * *', '每月 1 日至 5 日 00:00', 'At 00:00, on days 1 through 5 of the month'],
    ['0 0 10,20,L * *', '每月 10 日、20 日和最后一天 00:00', 'At 00:00, on days 10 and 20 and the last day of the month'],
    ['0 0 * * 1-5/2', '周一、周三和周五 00:00', 'At 00:00, on Monday, Wednesday and Friday'],
    ['0-59/5 * * * *', '每隔 5 分钟', 'Every 5 minutes'],
    ['* 9 * * *', '每天 09:00 至 09:59，每分钟一次', 'Every minute from 09:00 through 09:59'],
    ['* * 1 * *', '每月 1 日，每分钟', 'Every minute, on day 1 of the month'],
    ['0 0 31 * *', '每月 31 日 00:00', 'At 00:00, on day 31 of the month'],
    ['0 0 1 FEB-APR,DEC *', '每年 2 月至 4 月和 12 月的 1 日 00:00', 'At 00:00, on day 1 of February through April and December'],
    ['0 3 * * FRI-MON', '周五至周一 03:00', 'At 03:00, Friday through Monday'],
    ['30 */5 * * * *', '每隔 5 分钟，在第 30 秒', 'Every 5 minutes, at second 30'],
    ['*/10 * 9 * * *', '每天 09:00:00 至 09:59:50，每隔 10 秒一次', 'Every 10 seconds from 09:00:00 through 09:59:50'],
    ['*/10 0 9 * * *', '每天 09:00，在该分钟内每隔 10 秒', 'Every 10 seconds of one minute, at 09:00, every day'],
    ['0,30 * * * * *', '每分钟的第 0 和 30 秒', 'At seconds 0 and 30 of every minute'],
    [
      '0 9 */2 * MON',
      '每月 1 日至 31 日每 2 天中的周一 09:00',
      'At 09:00, every 2 days from day 1 through 31 of the month, if that is Monday',
    ],
    ['0 0 10-30/5 * *', '每月 10 日至 30 日每 5 天的 00:00', 'At 00:00, every 5 days from day 10 through 30 of the month'],
    ['0 */5 * * *', '每天 00:00 至 20:00，每隔 5 小时一次', 'Every 5 hours from 00:00 through 20:00'],
    ['0 2 * 3 SUN#2', '每年 3 月的第二个周日 02:00', 'At 02:00, on the second Sunday of March'],
    ['0 9 * 1,7 MON-FRI', '每年 1 月和 7 月的周一至周五 09:00', 'At 09:00, Monday through Friday in January and July'],
    ['0 0 * 2 *', '每年 2 月的每天 00:00', 'At 00:00, every day in February'],
    ['0 0 0 * * * 2027', '2027 年每天 00:00', 'At 00:00, every day, in 2027'],
    ['0 0 9 1 * * 2027', '2027 年每月 1 日 09:00', 'At 09:00, on day 1 of the month, in 2027'],
    ['0 8 * * 5-7', '周五至周日 08:00', 'At 08:00, Friday through Sunday'],
    [
      '0,20,40 8-18 * * 1-5',
      '周一至周五 8 点至 18 点的第 0、20 和 40 分钟',
      'At minutes 0, 20 and 40 past hours 8 through 18, Monday through Friday',
    ],
    ['50-10 * * * *', '每小时的第 0 至 10、50 至 59 分钟', 'At minutes 0 through 10 and 50 through 59 of every hour'],
    ['50-10/5 9 * * *', '每天 9 点的第 0、5、10、50 和 55 分钟', 'At minutes 0, 5, 10, 50 and 55 past hour 9'],
    [
      '10-20 22-2 * * *',
      '每天 0 点至 2 点、22 点和 23 点的第 10 至 20 分钟，每分钟一次',
      'Every minute from minute 10 through 20 past hours 0 through 2, 22 and 23',
    ],
    ['55-5 * * * * *', '每分钟的第 0 至 5、55 至 59 秒', 'At seconds 0 through 5 and 55 through 59 of every minute'],
    ['0,30 0 9 * * *', '每天 09:00，在该分钟内的第 0 和 30 秒', 'At seconds 0 and 30 of one minute, at 09:00, every day'],
    ['0 0 25-5 * *', '每月 1 日至 5 日和 25 日至 31 日 00:00', 'At 00:00, on days 1 through 5 and 25 through 31 of the month'],
    ['0 0 29-3/2 * *', '每月 2 日、29 日和 31 日 00:00', 'At 00:00, on days 2, 29 and 31 of the month'],
    [
      '0 9 1W,15 * *',
      '每月 15 日和离 1 日最近的工作日（周一至周五）09:00',
      'At 09:00, on day 15 and the weekday (Monday to Friday) nearest to day 1 of the month',
    ],
    ['0 0 * * 1,5#3', '每周一以及每月第三个周五 00:00', 'At 00:00, every Monday and on the third Friday of the month'],
    ['*/10 */5 * * * *', '每隔 5 分钟，在该分钟内每隔 10 秒', 'Every 10 seconds of one minute, every 5 minutes'],
    ['30 */10 9-17 * * *', '每天 09:00:30 至 17:50:30，每隔 10 分钟一次', 'Every 10 minutes from 09:00:30 through 17:50:30'],
    ['0 0 9 * 1 MON 2027', '2027 年 1 月的周一 09:00', 'At 09:00, every Monday in January, in 2027'],
    [
      '*/15 22-2 * * FRI',
      '每周五 00:00 至 02:45 和 22:00 至 23:45，每隔 15 分钟一次',
      'Every 15 minutes from 00:00 through 02:45 and from 22:00 through 23:45, every Friday',
    ],
    ['0 0 1,15 2 *', '每年 2 月 1 日和 15 日 00:00', 'At 00:00, on February 1 and 15'],
    ['0 9 * * TUE-SAT', '周二至周六 09:00', 'At 09:00, Tuesday through Saturday'],
    ['0 0 L 2 *', '每年 2 月最后一天 00:00', 'At 00:00, on the last day of February'],
    ['0 0 L-1 * *', '每月倒数第 2 天 00:00', 'At 00:00, on the second to last day of the month'],
    [
      '0 12 LW 3,6,9,12 *',
      '每年 3 月、6 月、9 月和 12 月的最后一个工作日（周一至周五）12:00',
      'At 12:00, on the last weekday (Monday to Friday) of March, June, September and December',
    ],
    [
      '0 9 1 * FRIL',
      '每月 1 日以及每月最后一个周五 09:00',
      'At 09:00, on day 1 of the month and also on the last Friday of the month',
    ],
    ['0 0 1-7 * *', '每月 1 日至 7 日 00:00', 'At 00:00, on days 1 through 7 of the month'],
    [
      '0 9 */2 * SAT,SUN',
      '每月 1 日至 31 日每 2 天中的周六和周日 09:00',
      'At 09:00, every 2 days from day 1 through 31 of the month, if that is Saturday or Sunday',
    ],
    ['23 1-23/2 * * *', '每天 01:23 至 23:23，每隔 2 小时一次', 'Every 2 hours from 01:23 through 23:23'],
  ])('says exactly when %s fires', (expression, zh, en) => {
    expect(() => readCron(expression, 'unix')).not.toThrow();
    expect(cronText(expression, 'zh-CN')).toBe(zh);
    expect(cronText(expression, 'en')).toBe(en);
  });

  it('says the same of another spelling', () => {
    for (const [one, other] of [
      ['0 9 * * 1-5', '0 9 * * mon-fri'],
      ['0 9 * * 7', '0 9 * * SUN'],
      ['@hourly', '0 * * * *'],
      ['0 0 9 ? * MON', '0 9 * * 1'],
      ['0 0 WL * *', '0 0 LW * *'],
      ['0 9 * * 0-6', '0 9 * * *'],
    ] as const)
      for (const language of ['zh-CN', 'en'] as const) expect(cronText(one, language)).toBe(cronText(other, language));
  });

  it.each(['61 * * * *', '', '* * *', '0 9 * * FOO', '0 9 */0 * *', '0 9 1-2-3 * *'])(
    'shows %j, which it cannot read, as it is',
    (expression) => {
      expect(cronText(expression, 'en')).toBe(expression);
      expect(cronText(expression, 'zh-CN')).toBe(expression);
    },
  );
});
