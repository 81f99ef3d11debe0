import { isTerminal } from '@evenkeel/sdk/contract';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { SessionsService } from '../../auth/sessions.service.js';
import { CallbackOutbox } from '../../callbacks/callback-outbox.js';
import { DeliveryNews } from '../../callbacks/delivery-news.js';
import { EndpointDirectory } from '../../callbacks/endpoint-directory.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { JobNews } from '../../jobs/job-news.js';
import { Clock } from '../../platform/clock.js';
import { Leaving } from '../../platform/http/leaving.js';
import { newId } from '../../platform/ids.js';
import { Ticker } from '../../platform/ticker.js';
import { Signals } from '../../ports.js';
import { WorkersService } from '../../registry/workers.service.js';
import { LifecycleService } from '../../tasks/lifecycle.service.js';
import type { TaskRecord } from '../../tasks/task.js';
import { TaskNews } from '../../tasks/task-news.js';
import type { Topic } from '../contract/stream.js';
import { iso } from '../request-parts.js';
import { ConsoleSettingsService } from '../system/console-settings.service.js';
import { StaleTopics } from './stale-topics.js';
import type { Watch } from './watch.js';

const CHANGED = 'console.changed';
const WATCHING = 'console.watching';
const TELL_EVERY_MS = 1_000;
const BEAT_MS = 15_000;
/** How long a node goes on telling after it last heard that somebody watches. */
const INTEREST_MS = 45_000;
const KEPT_EVENTS = 600;

type WrittenTask = Pick<TaskRecord, 'id' | 'groupId' | 'jobId' | 'appId' | 'callbackUrl' | 'state'>;
interface Kept {
  seq: number;
  stale: StaleTopics;
}

/**
 * Tells open consoles that what they show is out of date: topics only, at most once a second or as often as the floor that people set
 * allows, never the data. Each node collects what it changes, and says so to the others only while one of them has said within 45 s
 * that somebody watches. Whatever is lost (a signal, a node that dies with what it collected) is found by the console's own slow
 * polling; so nothing here is ever needed.
 */
@Injectable()
export class StreamHub implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('stream');
  private readonly id = newId('node');
  private readonly watches = new Set<Watch>();
  /** Of this node, for all nodes. */
  private readonly collected = new StaleTopics();
  /** From all nodes, for the streams of this one. */
  private stale = new StaleTopics();
  private readonly kept: Kept[] = [];
  private seq = 0;
  private interestUntil = Number.NEGATIVE_INFINITY;
  private readonly watchedTasks = new Map<string, number>();
  private beatAt = 0;
  private deliveredAt = Number.NEGATIVE_INFINITY;
  private readonly ticker = new Ticker(() => this.round(), {
    everyMs: TELL_EVERY_MS,
    onError: (err) => this.logger.warn({ msg: 'sessions of open streams not checked', err }),
  });

  constructor(
    private readonly sessions: SessionsService,
    private readonly groups: GroupsService,
    private readonly signals: Signals,
    private readonly clock: Clock,
    private readonly lifecycle: LifecycleService,
    private readonly taskNews: TaskNews,
    private readonly jobNews: JobNews,
    private readonly workers: WorkersService,
    private readonly outbox: CallbackOutbox,
    private readonly deliveries: DeliveryNews,
    private readonly endpoints: EndpointDirectory,
    private readonly settings: ConsoleSettingsService,
    private readonly leaving: Leaving,
  ) {
    leaving.onBegin(() => {
      for (const watch of this.watches) watch.close();
    });
  }

  onApplicationBootstrap(): void {
    this.signals.subscribe(WATCHING, (message) => this.noteInterest((message as { tasks: string[] }).tasks));
    this.signals.subscribe(CHANGED, (message) => this.stale.addAll((message as { topics: [Topic, string[] | null][] }).topics));
    this.lifecycle.onChanged((changes) => this.written(changes.map(({ after }) => after)));
    this.taskNews.onSkipped((skipped) => this.written(skipped.map((task) => ({ ...task, state: 'SKIPPED' }))));
    this.deliveries.onChanged(() => {
      if (this.isWatched) this.collected.add('callbacks');
    });
    // These are told to every node already.
    this.taskNews.onNews(({ groups }) => {
      const keys = groups.map((id) => this.keyOf(id));
      for (const topic of ['tasks', 'overview'] as const) this.stale.add(topic, keys);
    });
    this.jobNews.onPlanned(() => this.stale.add('jobs'));
    this.groups.onChanged(() => this.stale.add('groups'));
    this.endpoints.onChanged(() => this.stale.add('callbacks'));
    this.workers.onChange(({ worker }) => this.stale.add('workers', worker.offer.groups));
    this.sessions.onEnds(() => void this.checkSessions().catch(() => {}));
    this.ticker.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.ticker.stop();
  }

  /** Something was changed over the API. */
  touch(topics: readonly Topic[]): void {
    for (const topic of topics) this.collected.add(topic);
    this.tellOthers();
  }

  /** `lastEventId` is what the client heard last, if it was here before. */
  open(watch: Watch, lastEventId: string | undefined): () => void {
    if (this.leaving.hasBegun) {
      watch.close();
      return () => {};
    }
    this.watches.add(watch);
    this.sayWatching();
    const missed = lastEventId === undefined ? undefined : this.since(lastEventId);
    if (missed === null) watch.reset(this.eventId, this.now());
    else if (!missed || !watch.changed(missed, this.eventId, this.now())) watch.beat(this.eventId, this.now());
    return () => void this.watches.delete(watch);
  }

  private written(tasks: readonly WrittenTask[]): void {
    if (!this.isWatched) return;
    const groups = tasks.map(({ groupId }) => this.keyOf(groupId));
    for (const topic of ['tasks', 'groups', 'overview'] as const) this.collected.add(topic, groups);
    if (tasks.some(({ jobId }) => jobId !== null)) this.collected.add('jobs', groups);
    for (const { id, groupId } of tasks) if (this.watchedTasks.has(id)) this.collected.add(`task:${id}`, [this.keyOf(groupId)]);
    const isTold = ({ state, appId, callbackUrl }: WrittenTask) =>
      isTerminal(state) && this.outbox.concerns({ state, appId, callbackUrl });
    if (tasks.some(isTold)) this.collected.add('callbacks');
  }

  private async round(): Promise<void> {
    if (this.isWatched) this.tellOthers();
    if (this.watches.size === 0 && !this.isWatched) {
      this.forget();
      return;
    }
    this.deliver();
    const now = this.clock.monotonic();
    if (now - this.beatAt < BEAT_MS) return;
    this.beatAt = now;
    for (const watch of this.watches) watch.beat(this.eventId, this.now());
    this.sayWatching();
    await this.checkSessions();
  }

  private deliver(): void {
    if (this.stale.size === 0) return;
    const now = this.clock.monotonic();
    const floorMs = this.settings.liveFloorSeconds * 1_000;
    // At the lowest floor the rounds themselves are the pace.
    if (floorMs > TELL_EVERY_MS && now - this.deliveredAt < floorMs) return;
    this.deliveredAt = now;
    const { stale } = this;
    this.stale = new StaleTopics();
    this.seq += 1;
    this.kept.push({ seq: this.seq, stale });
    if (this.kept.length > KEPT_EVENTS) this.kept.shift();
    for (const watch of this.watches) watch.changed(stale, this.eventId, this.now());
  }

  /** Nobody is expected back, and what changes is not collected: whoever does come back with an id from before is told to read everything again. */
  private forget(): void {
    this.stale.take();
    this.kept.length = 0;
    this.seq += 1;
  }

  private tellOthers(): void {
    if (this.collected.size > 0) this.signals.publish(CHANGED, { topics: this.collected.take() });
  }

  private sayWatching(): void {
    this.signals.publish(WATCHING, { tasks: [...new Set([...this.watches].flatMap(({ tasks }) => tasks))] });
  }

  private noteInterest(tasks: readonly string[]): void {
    const until = this.clock.monotonic() + INTEREST_MS;
    this.interestUntil = until;
    for (const id of tasks) this.watchedTasks.set(id, until);
    for (const [id, end] of this.watchedTasks) if (end < this.clock.monotonic()) this.watchedTasks.delete(id);
  }

  /** What was told since; null if that is not known any more. */
  private since(lastEventId: string): StaleTopics | null {
    const [hub, text = ''] = lastEventId.split('-', 2);
    const seq = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    const oldest = this.kept[0]?.seq ?? this.seq + 1;
    if (hub !== this.id || !(seq <= this.seq && seq >= oldest - 1)) return null;
    const missed = new StaleTopics();
    for (const event of this.kept) if (event.seq > seq) missed.addAll(event.stale.entries());
    return missed;
  }

  private async checkSessions(): Promise<void> {
    if (this.watches.size === 0) return;
    const alive = await this.sessions.stillLive([...new Set([...this.watches].map(({ sessionId }) => sessionId))]);
    for (const watch of this.watches) {
      const rights = alive.get(watch.sessionId);
      if (rights) watch.giveRights(rights, this.now());
      else {
        this.watches.delete(watch);
        watch.endSession(this.now());
      }
    }
  }

  private get isWatched(): boolean {
    return this.clock.monotonic() < this.interestUntil;
  }

  private get eventId(): string {
    return `${this.id}-${this.seq}`;
  }

  private now(): string {
    return iso(this.clock.now());
  }

  private keyOf(groupId: number): string {
    return this.groups.byId(groupId)?.key ?? '';
  }
}
