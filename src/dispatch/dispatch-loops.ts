import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Backfiller } from './backfiller.js';
import { Dispatcher } from './dispatcher.js';
import { FlowSweep } from './flow-sweep.js';
import { JobSweep } from './job-sweep.js';
import { OrdersService } from './orders.service.js';
import { PartitionsService } from './partitions.service.js';
import { Recovery } from './recovery.js';
import { RunningBuffer } from './running-buffer.js';
import { Splitter } from './splitter.js';

/** What rounds under way are given before the partitions go without them. */
const ROUNDS_END_WITHIN_MS = 500;

/** The loops that make it run, as one thing to start and to stop. */
@Injectable()
export class DispatchLoops {
  private stopping: Promise<void> | undefined;

  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly recovery: Recovery,
    private readonly jobSweep: JobSweep,
    private readonly backfiller: Backfiller,
    private readonly flowSweep: FlowSweep,
    private readonly splitter: Splitter,
    private readonly orders: OrdersService,
    private readonly buffer: RunningBuffer,
    private readonly partitions: PartitionsService,
  ) {}

  start(): void {
    this.buffer.start();
    this.dispatcher.start();
    this.recovery.start();
    this.jobSweep.start();
    this.backfiller.start();
    this.flowSweep.start();
    this.splitter.start();
  }

  /** Stops claiming, writes what is known and hands the partitions over; orders still under way are the next holder's. */
  stop(): Promise<void> {
    this.stopping ??= this.handOver();
    return this.stopping;
  }

  /** A round that takes longer finds its partition given up: its transaction rolls back, and the next holder does what it would have. */
  private async handOver(): Promise<void> {
    const { dispatcher, recovery, jobSweep, backfiller, flowSweep, splitter } = this;
    const ended = Promise.all([dispatcher, recovery, jobSweep, backfiller, flowSweep, splitter].map((loop) => loop.stop()));
    await Promise.race([ended, pause(ROUNDS_END_WITHIN_MS, undefined, { ref: false })]);
    this.orders.stop();
    const written = this.buffer.stop().catch(() => {});
    await Promise.race([written, pause(ROUNDS_END_WITHIN_MS, undefined, { ref: false })]);
    await this.partitions.handOver();
    await Promise.all([ended, written]);
  }
}
