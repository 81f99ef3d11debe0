import { parentPort, workerData } from 'node:worker_threads';
import type { HeartbeatAnswer, HeartbeatRequest } from '../contract/index.js';
import { EvenkeelProblem } from '../transport/problem.js';
import { TransportError } from '../transport/transport-error.js';
import { BeatLedger } from './beat-ledger.js';
import type { BeatFigures, BeatThreadData, FromBeatThread, ToBeatThread } from './beat-messages.js';
import { CentreChannel, isUnknownHere } from './centre-channel.js';
import { CpuIdle } from './cpu-idle.js';
import { monotonicMs, SharedClock } from './shared-clock.js';

/**
 * Beats in a thread of its own: a handler that blocks the main event loop must not look like a death. Beats leave at a fixed pace
 * whether or not earlier ones were answered, so that a slow answer is never mistaken for silence.
 */
const RETRY_MS = 1000;
const SOON_MS = 100;
const SOON_GAP_MS = 1000;
/** A main thread not seen for so long cannot take an order: it would be sent again and again until it can. */
const BLOCKED_MS = 1000;
const LOOK_MS = 250;
/** Below the channel's connections, so that a beat never waits for one. */
const MOST_OUTSTANDING = 12;

const { channel: options, workerId, incarnation, clock: buffer } = workerData as BeatThreadData;
const port = parentPort as NonNullable<typeof parentPort>;
const clock = new SharedClock(buffer);
const channel = new CentreChannel(options, clock);
const ledger = new BeatLedger();
const cpu = new CpuIdle();
let figures: BeatFigures = { state: 'ready', active: 0, queued: 0, freeSlots: 0, avgCostMs: 0 };
let heartbeatMs = 5000;
let leaseMs = 15_000;
let timer: NodeJS.Timeout | undefined;
let nextBeatAt = Number.POSITIVE_INFINITY;
let lastBeatAt = 0;
let outstanding = 0;
let failing = false;
let toldBlocked = false;

const blocked = (): boolean => clock.mainSilentMs() > BLOCKED_MS;
setInterval(() => {
  if (nextBeatAt !== Number.POSITIVE_INFINITY && blocked() !== toldBlocked) beatSoon();
}, LOOK_MS).unref();

port.on('message', (message: ToBeatThread) => {
  if (message.kind === 'registered') {
    heartbeatMs = message.heartbeatMs;
    leaseMs = message.leaseMs;
    failing = false;
    beatAt(monotonicMs() + heartbeatMs);
  } else if (message.kind === 'state') {
    figures = message.figures;
    ledger.apply(message.changes);
    if (message.soon && nextBeatAt !== Number.POSITIVE_INFINITY) beatSoon();
  } else {
    beatAt(Number.POSITIVE_INFINITY);
    channel.close();
    port.close();
  }
});

function beatAt(at: number): void {
  clearTimeout(timer);
  nextBeatAt = at;
  if (at !== Number.POSITIVE_INFINITY) timer = setTimeout(beat, Math.max(0, at - monotonicMs()));
}

function beatSoon(): void {
  sooner(Math.max(SOON_MS, lastBeatAt + SOON_GAP_MS - monotonicMs()));
}

function sooner(inMs: number): void {
  const at = monotonicMs() + inMs;
  if (at < nextBeatAt) beatAt(at);
}

function beat(): void {
  lastBeatAt = monotonicMs();
  beatAt(lastBeatAt + heartbeatMs);
  if (outstanding >= MOST_OUTSTANDING) return;
  outstanding++;
  const sentAt = lastBeatAt;
  const { json, delivered } = ledger.write();
  toldBlocked = blocked();
  const head: Omit<HeartbeatRequest, 'attempts'> = {
    workerId,
    incarnation,
    seq: clock.nextSeq(),
    sentAt: clock.centreNow(),
    ...figures,
    freeSlots: toldBlocked ? 0 : figures.freeSlots,
    cpuIdlePercent: cpu.percent,
    memory: process.memoryUsage.rss(),
  };
  const body = `${JSON.stringify(head).slice(0, -1)},"attempts":${json}}`;
  const patience = (heartbeatMs * 0.8) / channel.width;
  channel.post<HeartbeatAnswer>('/worker/v1/heartbeat', body, patience, leaseMs).then(
    ({ body: answer }) => {
      outstanding--;
      delivered();
      if (failing) log('info', 'centre reached again', {});
      failing = false;
      if (typeof answer?.leaseMs === 'number' && answer.leaseMs > 0) leaseMs = answer.leaseMs;
      clock.acknowledged(sentAt, leaseMs);
      post({ kind: 'answer', answer });
    },
    (error) => {
      outstanding--;
      unanswered(error, sentAt);
    },
  );
}

function unanswered(error: unknown, sentAt: number): void {
  if (isUnknownHere(error)) {
    beatAt(Number.POSITIVE_INFINITY);
    post({ kind: 'unknown' });
    return;
  }
  if (error instanceof EvenkeelProblem && (error.status === 400 || error.status === 422)) {
    // The centre heard this worker and dislikes a field: that is a fault to mend, not a silence.
    clock.acknowledged(sentAt, leaseMs);
    log('error', 'heartbeat refused', { error });
    return;
  }
  const refused =
    error instanceof TransportError ? error.failure === 'refused' : error instanceof EvenkeelProblem && error.status === 429;
  if (refused) clock.refused(sentAt, leaseMs);
  if (!failing) log('warn', 'heartbeat not acknowledged', { error });
  failing = true;
  sooner(RETRY_MS * (0.75 + Math.random() / 2));
}

function log(level: 'info' | 'warn' | 'error', message: string, fields: Record<string, unknown>): void {
  const { error, ...rest } = fields;
  post({
    kind: 'log',
    level,
    message,
    fields: error instanceof Error ? { ...rest, error: { name: error.name, message: error.message } } : rest,
  });
}

function post(message: FromBeatThread): void {
  port.postMessage(message);
}
