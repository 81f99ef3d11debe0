import type { Translate } from './i18n';

const DAY = 86_400_000;

/** Days until then, begun ones not counted; 0: less than one. */
export const daysLeft = (until: number, now: number): number => Math.max(0, Math.floor((until - now) / DAY));

/** How long something still holds that ends on its own, in the same words everywhere. */
export const daysLeftText = (days: number, t: Translate): string =>
  days < 1 ? t('keys.endsToday') : t('keys.daysLeft', { n: days });
