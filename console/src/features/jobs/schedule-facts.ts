import type { JobSchedule } from '@evenkeel/sdk/contract';
import type { Translate } from '../../lib/i18n';
import { durationText, withZone } from '../../lib/times';

/** What a schedule states beside when it fires: from when to when, and how exactly. */
export function scheduleFacts(schedule: JobSchedule, timeZone: string, t: Translate): string[] {
  const { startAt, endAt, jitterMs } = schedule;
  return [
    startAt && t('jobs.startsAt', { at: withZone(Date.parse(startAt), timeZone) }),
    endAt && t('jobs.endsAt', { at: withZone(Date.parse(endAt), timeZone) }),
    jitterMs && t('jobs.jitterOf', { most: durationText(jitterMs, t) }),
    ...(schedule.kind === 'cron' ? dstFacts(schedule.dst, t) : []),
  ].filter((fact) => typeof fact === 'string' && fact !== '') as string[];
}

type Dst = Extract<JobSchedule, { kind: 'cron' }>['dst'];
export const dstFacts = (dst: Dst, t: Translate): string[] => [
  ...(dst?.gap ? [t('jobs.fact', { name: t('jobs.dstGap'), value: t(`jobs.dstGap.${dst.gap}`) })] : []),
  ...(dst?.overlap ? [t('jobs.fact', { name: t('jobs.dstOverlap'), value: t(`jobs.dstOverlap.${dst.overlap}`) })] : []),
];
