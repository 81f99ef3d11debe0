import type { HeartbeatRequest, RegisterRequest } from '@evenkeel/sdk/contract';
import { LocalSignals } from '../../src/backends/embedded/local-signals.js';
import type { SqlDialect } from '../../src/ports.js';
import { BeatsService } from '../../src/registry/beats.service.js';
import { Liveness } from '../../src/registry/liveness.js';
import { RegistrationsService } from '../../src/registry/registrations.service.js';
import type { WorkerChange, WorkerView } from '../../src/registry/worker.js';
import { WorkerStore } from '../../src/registry/worker.store.js';
import { type ProbeReply, WorkerProbe } from '../../src/registry/worker-probe.js';
import { WorkersService } from '../../src/registry/workers.service.js';
import { HandMovedClock } from './hand-moved-clock.js';

export const KEY = { accessKey: 'wk_aaaaaaaaaaaaaaaa', groups: ['payments', 'mail'] };
export const OTHER_KEY = { accessKey: 'wk_bbbbbbbbbbbbbbbb', groups: ['mail'] };

/** `life(2)` sorts after `life(1)`. */
export const life = (number: number): string => `01K${String(number).padStart(23, '0')}`;

/** Answers what a test told it to; a worker it was told nothing about is silent. */
export class ScriptedProbe extends WorkerProbe {
  readonly replies = new Map<string, ProbeReply | Promise<ProbeReply>>();
  readonly asked: string[] = [];
  /** Each process on record answers as itself. */
  everybodyLives = false;

  override async health({ workerId, incarnation }: Pick<WorkerView, 'workerId' | 'incarnation'>): Promise<ProbeReply> {
    this.asked.push(workerId);
    if (this.everybodyLives) return { kind: 'answered', health: { workerId, incarnation, state: 'ready', attempts: [] } };
    return this.replies.get(workerId) ?? { kind: 'silent', cause: 'refused' };
  }

  lives(workerId: string, incarnation: string, attempts: { taskId: string; lease: number }[] = []): void {
    const running = attempts.map((attempt) => ({ ...attempt, phase: 'running' as const }));
    this.replies.set(workerId, { kind: 'answered', health: { workerId, incarnation, state: 'ready', attempts: running } });
  }
}

/** What one server process has of the registry, on a clock moved by hand. */
export interface Node {
  workers: WorkersService;
  beats: BeatsService;
  registrations: RegistrationsService;
  liveness: Liveness;
  store: WorkerStore;
  probe: ScriptedProbe;
  changes: string[];
  register(request: RegisterRequest, caller?: typeof KEY): Promise<void>;
}

export function startNode(
  dialect: SqlDialect,
  clock = new HandMovedClock(),
  signals = new LocalSignals(),
  probe = new ScriptedProbe(),
): Node {
  const store = new WorkerStore(dialect);
  const workers = new WorkersService(clock, store, signals);
  const registrations = new RegistrationsService(workers, store, clock, probe);
  const changes: string[] = [];
  workers.onChange(({ kind, worker }: WorkerChange) => changes.push(`${kind} ${worker.workerId}`));
  return {
    workers,
    registrations,
    store,
    probe,
    changes,
    beats: new BeatsService(workers, clock, store),
    liveness: new Liveness(workers, probe, store, clock),
    register: async (request, caller = KEY) =>
      registrations.register(request, caller, await registrations.admit(request, caller)),
  };
}

export function registration(workerId: string, over: Partial<RegisterRequest> = {}): RegisterRequest {
  return {
    workerId,
    incarnation: life(1),
    groups: ['payments'],
    urls: ['http://127.0.0.1:24401'],
    handlers: [{ name: 'noop' }, { name: 'echo' }],
    slots: 8,
    sdk: 'test/1',
    unreported: [],
    ...over,
  };
}

export function heartbeat(workerId: string, seq: number, over: Partial<HeartbeatRequest> = {}): HeartbeatRequest {
  return {
    workerId,
    incarnation: life(1),
    seq,
    sentAt: 1_800_000_000_000,
    state: 'ready',
    active: 0,
    queued: 0,
    freeSlots: 8,
    avgCostMs: 0,
    cpuIdlePercent: 90,
    attempts: [],
    ...over,
  };
}
