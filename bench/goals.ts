import type { FigureName } from './options.js';
import type { SystemName } from './system.js';

/** A bound; the direction is the goal's. */
export interface Goal {
  label: string;
  figure: FigureName;
  value: string;
  /** Present: the goal is about the ratio of Evenkeel to this system in the same round. */
  against?: SystemName;
  better: 'more' | 'less';
  must?: number;
  aim?: number;
}

/** What the product promises of its speed, as far as this bench measures it. */
export const GOALS: readonly Goal[] = [
  { label: 'batch / BullMQ, AOF always', figure: 'batch', value: 'perSecond', against: 'bullmq-aof', better: 'more', must: 1.0 },
  {
    label: 'batch / BullMQ, no persistence',
    figure: 'batch',
    value: 'perSecond',
    against: 'bullmq-none',
    better: 'more',
    aim: 1.3,
  },
  {
    label: 'single / BullMQ, AOF always',
    figure: 'single',
    value: 'perSecond',
    against: 'bullmq-aof',
    better: 'more',
    must: 0.9,
  },
  {
    label: 'single / BullMQ, no persistence',
    figure: 'single',
    value: 'perSecond',
    against: 'bullmq-none',
    better: 'more',
    aim: 1.2,
  },
  { label: 'idle: submit to start, p50', figure: 'idle', value: 'startP50', better: 'less', must: 15, aim: 6 },
  { label: 'idle: submit to start, p99', figure: 'idle', value: 'startP99', better: 'less', must: 60 },
  { label: '200/s: submit to start, p99', figure: 'load', value: 'startP99', better: 'less', must: 150, aim: 40 },
  { label: '2 000 cron jobs in one second, p99', figure: 'cron-burst', value: 'fireP99', better: 'less', must: 1_000, aim: 300 },
  { label: 'tick, many pending / few', figure: 'tick-cost', value: 'tickRatio', better: 'less', must: 1.5, aim: 1.1 },
  { label: '200/s: submit, p95', figure: 'load', value: 'submitP95', better: 'less', must: 35, aim: 10 },
];
