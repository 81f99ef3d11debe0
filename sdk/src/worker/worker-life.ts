import type { CancelOrder, CancelReason, HeartbeatAnswer, RegisterRequest, ResultAck, WorkerFigures } from '../contract/index.js';
import { AnswerMemory } from './answer-memory.js';
import { type Attempt, attemptKey } from './attempt.js';
import { AttemptTable } from './attempt-table.js';
import { BeatLink } from './beat-link.js';
import type { BeatFigures } from './beat-messages.js';
import { Capacity } from './capacity.js';
import { CentreChannel, SDK_NAME } from './centre-channel.js';
import { Epochs } from './epochs.js';
import { Executor, type ExecutorPorts } from './executor.js';
import { FenceWatch } from './fence-watch.js';
import { type Handler, offerOf } from './handler.js';
import { type Home, openHome } from './home.js';
import { newIncarnation } from './incarnation.js';
import { type EarlierLives, Journal, type Unreported } from './journal.js';
import { LogShipper } from './log-shipper.js';
import { reachableUrl, type WorkerSettings } from './options.js';
import { OrderDesk } from './order-desk.js';
import { OrderServer } from './order-server.js';
import { type Ending, resultJson } from './outcome.js';
import { register } from './registration.js';
import { ResultReporter } from './result-reporter.js';
import { monotonicMs, SharedClock } from './shared-clock.js';
import { Waiters } from './waiters.js';

const LOOK_MS = 200;
/** After the drain limit, for handlers to notice their signal. */
const ABORT_GRACE_MS = 2000;
const FLUSH_MS = 10_000;
const LOG_FLUSH_MS = 2000;

/**
 * One incarnation of a worker: its parts and how they are tied together. Decides nothing that a part can decide.
 * The only place where an attempt passes from acceptance to execution to report.
 */
export class WorkerLife {
  readonly incarnation = newIncarnation();
  readonly workerId: string;
  /** Rejects if the centre gives this worker's name to another. */
  readonly displaced: Promise<never>;
  private readonly clock = SharedClock.startingNow();
  private readonly table = new AttemptTable();
  private readonly memory = new AnswerMemory();
  private readonly epochs = new Epochs();
  private readonly home: Home;
  private readonly journal: Journal;
  private readonly earlier: EarlierLives;
  private readonly channel: CentreChannel;
  private readonly beats: BeatLink;
  private readonly capacity: Capacity;
  private readonly executor: Executor;
  private readonly logs: LogShipper;
  private readonly reporter: ResultReporter;
  private readonly server: OrderServer;
  private readonly stopped = new AbortController();
  private displace!: (reason: unknown) => void;
  private request!: Omit<RegisterRequest, 'unreported'>;
  private watch: NodeJS.Timeout | undefined;
  private draining = false;
  private registering = false;
  private registered = false;
  private readonly idle = new Waiters();
  private readonly fence = new FenceWatch(this.clock, () => {
    this.settings.logger.error('no word from the centre for the length of the lease: running attempts are aborted', {});
    this.abortAll('lease_lost');
  });

  constructor(
    private readonly settings: WorkerSettings,
    private readonly handlers: ReadonlyMap<string, Handler>,
  ) {
    const { logger, key, secret, urls } = settings;
    this.displaced = new Promise((_, reject) => {
      this.displace = reject;
    });
    this.displaced.catch(() => undefined);
    this.home = openHome(settings.workerId, settings.dataDir, logger);
    this.workerId = this.home.workerId;
    [this.journal, this.earlier] = Journal.open(this.home.directory, this.incarnation, logger);
    for (const accepted of this.earlier.accepted) this.memory.remember(accepted, 'accepted');
    this.channel = new CentreChannel({ urls, key, secret }, this.clock);
    const { workerId, incarnation, channel, journal, table, memory, epochs, clock } = this;
    this.beats = new BeatLink({
      data: { channel: { urls, key, secret }, workerId, incarnation, clock: clock.buffer },
      logger,
      figures: () => this.figures(),
      attempts: () => table.all(),
      present: (attempt) => table.get(attempt.key) === attempt,
      answered: (answer) => this.obey(answer),
      unknownHere: () => void this.registerAgain(),
    });
    this.reporter = new ResultReporter({
      workerId,
      incarnation,
      channel,
      journal,
      logger,
      acknowledged: (result) => this.acknowledged(result),
      figures: () => this.numberedFigures(),
      unknownHere: () => void this.registerAgain(),
    });
    this.logs = new LogShipper({
      workerId,
      incarnation,
      channel,
      logger,
      now: () => clock.centreNow(),
      level: settings.shipLogs,
    });
    const ports: ExecutorPorts = {
      logger,
      logged: (attempt, level, message, fields) => this.logs.write(attempt.log, level, message, fields),
      progressed: (attempt: Attempt) => this.beats.note(attempt),
      checkpointed: (attempt: Attempt) => this.beats.note(attempt, true),
      moved: (attempt: Attempt) => {
        this.beats.note(attempt);
        if (attempt.forgotten) this.wakeIfIdle();
      },
      starting: () => this.beats.flush(),
      ended: (attempt: Attempt, ending: Ending, costMs: number) => this.report(attempt, ending, costMs),
    };
    const groups = typeof settings.slots === 'number' ? undefined : settings.slots;
    this.capacity = new Capacity({ pools: settings.pools, groups, handlers: handlers.values() });
    this.executor = new Executor(table, ports);
    const desk = new OrderDesk({
      workerId,
      incarnation,
      handlers,
      table,
      memory,
      epochs,
      logger,
      fenced: () => this.lookAtFence(),
      draining: () => this.draining,
      capacity: this.capacity,
      congested: () => this.reporter.full,
      figures: () => this.numberedFigures(),
      journalAccepted: (keys) => journal.accepted(keys),
      take: (attempts) => this.take(attempts),
      cancel: (attempt, order) => this.executor.abort(attempt, order.reason),
    });
    this.cancelOrders = (orders) => desk.cancel(orders);
    this.server = new OrderServer({
      keys: { key, secret, now: () => clock.centreNow() },
      logger,
      run: (request, sender) => desk.run(request, sender),
      cancel: ({ tasks }) => ({ results: desk.cancel(tasks) }),
      health: () => ({ workerId, incarnation, state: this.state, attempts: [...table.all()].map(named) }),
    });
  }

  private readonly cancelOrders: (orders: CancelOrder[]) => unknown;

  /** Resolves once the centre has taken the worker. */
  async start(): Promise<void> {
    const { host, advertiseUrl, groups, slots, weight, tags, zone, logger } = this.settings;
    const port = await this.server.listen(host, this.settings.port);
    const urls = advertiseUrl.length > 0 ? advertiseUrl : [reachableUrl(host, port)];
    const offers = [...this.handlers.values()].map(offerOf);
    const { workerId, incarnation } = this;
    this.request = { workerId, incarnation, groups, urls, handlers: offers, slots, weight, tags, zone, sdk: SDK_NAME };
    this.clock.mainAtWork();
    this.beats.start();
    this.watch = setInterval(() => this.look(), LOOK_MS);
    this.watch.unref();
    await this.register(this.earlier.unreported);
    logger.info('worker registered', { workerId, incarnation, urls, groups, handlers: offers.map(({ name }) => name) });
  }

  /**
   * Drains and leaves. If the process dies meanwhile: what was accepted is recovered by the centre, what was journalled is sent by
   * the next life.
   */
  async stop(): Promise<void> {
    const { logger, drainMs } = this.settings;
    this.draining = true;
    this.stopped.abort(new Error('the worker is stopped'));
    this.beats.hasten();
    if (!(await this.idleWithin(drainMs))) {
      this.abortAll('draining');
      await this.idleWithin(ABORT_GRACE_MS);
      for (const attempt of [...this.table.all()].filter(({ phase }) => phase === 'running')) {
        logger.error('handler ignores its signal: given up', { taskId: attempt.order.taskId, handler: attempt.order.handler });
        this.executor.giveUp(attempt, 'draining');
      }
    }
    if (this.registered) await this.logs.flushed(LOG_FLUSH_MS);
    if (!(await this.reporter.flushed(this.registered ? FLUSH_MS : 0))) {
      logger.warn('results left undelivered: the next start sends them', {});
    }
    if (this.registered) await this.deregister();
    await this.close();
    logger.info('worker stopped', { workerId: this.workerId });
  }

  /** Lets go of everything at once; also after a start that failed. */
  async close(): Promise<void> {
    clearInterval(this.watch);
    this.stopped.abort(new Error('the worker is stopped'));
    this.executor.stop();
    this.logs.stop();
    this.reporter.stop();
    await this.beats.stop();
    await this.server.close();
    this.channel.close();
    this.journal.close();
    this.home.release();
  }

  private get state(): BeatFigures['state'] {
    return this.draining ? 'draining' : 'ready';
  }

  private look(): void {
    this.clock.mainAtWork();
    if (!this.registered) return;
    this.lookAtFence();
    this.beats.refresh();
  }

  private figures(): BeatFigures {
    const avgCostMs = Math.round(this.executor.cost.value * 100) / 100;
    return { state: this.state, ...this.load(), avgCostMs };
  }

  private numberedFigures(): WorkerFigures {
    return { seq: this.clock.nextSeq(), ...this.load() };
  }

  private load(): Omit<WorkerFigures, 'seq'> {
    const { table } = this;
    const load: Omit<WorkerFigures, 'seq'> = {
      active: table.count('running'),
      queued: table.count('queued'),
      freeSlots: this.room(),
    };
    const full = load.freeSlots === 0 ? [] : this.capacity.full;
    if (full.length > 0) load.full = full;
    return load;
  }

  /** How many more orders would be accepted right now: free slots and free places in the queues. */
  private room(): number {
    return this.draining || this.reporter.full || this.clock.isFenced() ? 0 : this.capacity.room;
  }

  /** The beat thread knows of the attempts before any of them can block this thread. */
  private take(attempts: Attempt[]): void {
    for (const attempt of attempts) {
      this.beats.note(attempt);
      this.executor.enqueue(attempt);
    }
    this.beats.flush();
  }

  private report(attempt: Attempt, ending: Ending, costMs: number): void {
    const json = resultJson(attempt, ending, this.clock.centreNow(), costMs);
    const logged = this.logs.sent(attempt.log);
    if (logged === undefined) this.reporter.report(attempt.key, json);
    else this.reporter.reportAfter(logged, attempt.key, json);
    this.wakeIfIdle();
  }

  private acknowledged(key: string): void {
    const attempt = this.table.get(key);
    if (attempt === undefined) return;
    this.table.remove(attempt);
    this.beats.note(attempt);
  }

  private obey(answer: HeartbeatAnswer): void {
    this.lookAtFence();
    this.epochs.observeAll(answer?.epochs ?? {});
    this.cancelOrders(answer?.cancel ?? []);
    for (const { taskId, lease } of answer?.abandon ?? []) {
      const attempt = this.table.get(attemptKey(taskId, lease));
      if (attempt === undefined || attempt.phase === 'reporting') continue;
      attempt.forgotten = true;
      this.executor.abort(attempt, 'lease_lost');
      this.wakeIfIdle();
    }
  }

  private lookAtFence(): boolean {
    return this.registered ? this.fence.look() : this.clock.isFenced();
  }

  private abortAll(reason: CancelReason): void {
    for (const attempt of [...this.table.all()]) this.executor.abort(attempt, reason);
  }

  private async register(unreported: Unreported[]): Promise<void> {
    const acknowledged = new Set<string>();
    const heard = await register(this.request, unreported, {
      channel: this.channel,
      logger: this.settings.logger,
      signal: this.stopped.signal,
      acknowledged: (acks: ResultAck[]) => {
        const keys = acks.map(({ taskId, lease }) => attemptKey(taskId, lease));
        for (const each of keys) acknowledged.add(each);
        if (keys.length > 0) this.journal.acknowledged(keys);
      },
    });
    const { heartbeatMs, leaseMs, epochs } = heard.body;
    this.epochs.observeAll(epochs ?? {});
    this.clock.acknowledged(heard.sentAt, leaseMs, monotonicMs());
    this.registered = true;
    this.logs.registered();
    this.beats.beginBeats(heartbeatMs, leaseMs);
    this.reporter.resume(unreported.filter(({ key }) => !acknowledged.has(key)));
  }

  /** The centre lost this incarnation (a restored or emptied database). Attempts go on: it will say which of them it still counts. */
  private async registerAgain(): Promise<void> {
    if (this.registering || this.stopped.signal.aborted) return;
    this.registering = true;
    this.settings.logger.warn('the centre does not know this worker: registering again', {});
    try {
      await this.register([]);
    } catch (error) {
      if (this.stopped.signal.aborted) return;
      this.settings.logger.error('worker displaced: its attempts are aborted', { error });
      this.abortAll('lease_lost');
      this.displace(error);
    } finally {
      this.registering = false;
    }
  }

  private async deregister(): Promise<void> {
    const { workerId, incarnation } = this;
    try {
      await this.channel.post('/worker/v1/deregister', JSON.stringify({ workerId, incarnation }), 1000, 3000);
    } catch (error) {
      this.settings.logger.warn('not deregistered: the centre will notice by itself', { error });
    }
  }

  private get busy(): boolean {
    return this.table.count('running') + this.table.count('queued') > 0;
  }

  private wakeIfIdle(): void {
    if (this.idle.any && !this.busy) this.idle.wake();
  }

  private async idleWithin(ms: number): Promise<boolean> {
    if (this.busy) await this.idle.within(ms);
    return !this.busy;
  }
}

function named({ order, phase }: Attempt): { taskId: string; lease: number; phase: Attempt['phase'] } {
  return { taskId: order.taskId, lease: order.lease, phase };
}
