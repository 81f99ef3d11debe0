import { Injectable } from '@nestjs/common';
import { Signals } from '../ports.js';
import type { Job } from './job.js';

/** A job that fires at an instant. */
export interface JobDue {
  id: string;
  partition: number;
  dueAt: number;
}
const NEWS = 'jobs.news';
const BACKFILL = 'jobs.backfill';
const CHANGED = 'jobs.changed';

export const dueOf = ({ id, partition, nextFireAt }: Job): JobDue[] =>
  nextFireAt === null ? [] : [{ id, partition, dueAt: nextFireAt }];

/** Tells every node when a job fires next. Only ever early: the planner also looks. Publish after the commit. */
@Injectable()
export class JobNews {
  constructor(private readonly signals: Signals) {}

  planned(due: readonly JobDue[]): void {
    if (due.length > 0) this.signals.publish(NEWS, { due });
  }

  /** A job was changed or deleted: what waits of it, or for it, may go on now. */
  changed({ id, partition }: Pick<Job, 'id' | 'partition'>): void {
    this.signals.publish(CHANGED, { id, partition });
  }

  onChanged(listener: (job: Pick<Job, 'id' | 'partition'>) => void): void {
    this.signals.subscribe(CHANGED, (message) => listener(message as Pick<Job, 'id' | 'partition'>));
  }

  /** Some backfill has tasks to make. */
  backfillAsked(): void {
    this.signals.publish(BACKFILL, {});
  }

  onBackfillAsked(listener: () => void): void {
    this.signals.subscribe(BACKFILL, listener);
  }

  onPlanned(listener: (due: JobDue[]) => void): void {
    this.signals.subscribe(NEWS, (message) => listener((message as { due: JobDue[] }).due));
  }
}
