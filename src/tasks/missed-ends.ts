import { TASK_STATES } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { CallbackOutbox } from '../callbacks/callback-outbox.js';
import { EndpointsService } from '../callbacks/endpoints.service.js';
import { Clock } from '../platform/clock.js';
import { firstIdAt } from '../platform/ids.js';
import { type Sql, SqlDialect } from '../ports.js';
import { endedTask } from './ended-task.js';
import { TaskStore } from './task.store.js';

const AT_ONCE = 200;
const MOST = 5_000;

/**
 * Tells an endpoint of the ends it was never told of: of what ended while it was disabled, or before there was one. An event that
 * others were told of goes out under its own id. The endpoint's row is held for each stretch, so that two who ask at once do not tell
 * it twice. If the process dies between two stretches, asking again tells the rest.
 */
@Injectable()
export class MissedEnds {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: TaskStore,
    private readonly endpoints: EndpointsService,
    private readonly outbox: CallbackOutbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Of tasks made since then, newest first. `more`: there were too many for once. Null if there is no such endpoint. Throws AppError
   * `state_conflict` unless it is enabled.
   */
  async replay(
    appId: number,
    endpointId: string,
    since: number,
    also: (tx: Sql) => Promise<void>,
  ): Promise<{ queued: number; more: boolean } | null> {
    const endpoint = await this.endpoints.listening(appId, endpointId);
    if (!endpoint) return null;
    const states = TASK_STATES.filter((state) => endpoint.eventTypes.includes(`task.${state.toLowerCase()}`));
    let queued = 0;
    for (let before: string | undefined, first = true; queued < MOST; first = false) {
      const filter = { appId, states, before, limit: AT_ONCE };
      const tasks = states.length === 0 ? [] : await this.store.list(this.dialect.root, filter, firstIdAt('task', since), null);
      const now = Math.round(this.clock.now());
      queued += await this.dialect.transaction(async (tx) => {
        if (first) await also(tx);
        return this.outbox.tellMissed(tx, endpoint, tasks.map(endedTask), now);
      });
      if (tasks.length < AT_ONCE) return { queued, more: false };
      before = tasks.at(-1)?.id;
    }
    return { queued, more: true };
  }
}
