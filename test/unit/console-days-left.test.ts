import { daysLeft as serverDaysLeft } from '../../src/decisions/expiring-keys.js';

/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { daysLeft, daysLeftText } = jest.requireActual<{
  daysLeft: (until: number, now: number) => number;
  daysLeftText: (days: number, t: (key: string, values?: object) => string) => string;
}>('../../console/src/lib/days-left');
const { translate } = jest.requireActual<{ translate: (language: string, key: string, values?: object) => string }>(
  '../../console/src/lib/translate',
);

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 1);

describe('how long a key still holds', () => {
  it.each([
    [1, 'less than a day left', '剩余不到 1 天'],
    [DAY - 1, 'less than a day left', '剩余不到 1 天'],
    [DAY, 'one day left', '剩余 1 天'],
    [2 * DAY - 1, 'one day left', '剩余 1 天'],
    [2 * DAY, '2 days left', '剩余 2 天'],
  ])('is told in whole days, and in words below one: %d ms', (left, en, zh) => {
    const days = daysLeft(NOW + left, NOW);
    expect(daysLeftText(days, (key, values) => translate('en', key, values))).toBe(en);
    expect(daysLeftText(days, (key, values) => translate('zh-CN', key, values))).toBe(zh);
    expect(days).toBe(serverDaysLeft(NOW + left, NOW));
  });
});
