import type { ServerResponse } from 'node:http';
import { GLOBAL_ONLY, may, type Permission, type Rights, sameRights } from '../../decisions/permissions.js';
import type { ChangedEvent, Topic } from '../contract/stream.js';
import type { StaleTopics } from './stale-topics.js';

/** A client that does not read is let go rather than remembered for. */
const MOST_UNSENT_BYTES = 256 * 1024;
const NEEDS: Record<string, Permission> = {
  tasks: 'tasks.view',
  overview: 'tasks.view',
  bulk: 'tasks.view',
  jobs: 'jobs.view',
  groups: 'groups.view',
  workers: 'workers.view',
  callbacks: 'keys.view',
};

/** One open stream: what it watches, and what of it its person may know. */
export class Watch {
  constructor(
    readonly sessionId: string,
    readonly topics: ReadonlySet<Topic>,
    private rights: Rights,
    private readonly response: ServerResponse,
  ) {}

  get tasks(): string[] {
    return [...this.topics].filter((topic) => topic.startsWith('task:')).map((topic) => topic.slice('task:'.length));
  }

  /** Tells of what it watches and may see; false, and silent, if there is nothing. */
  changed(stale: StaleTopics, id: string, at: string): boolean {
    const topics: Topic[] = [];
    const groups = new Set<string>();
    let general = false;
    for (const [topic, about] of stale.entries()) {
      if (!this.topics.has(topic)) continue;
      const needs = NEEDS[topic] ?? 'tasks.view';
      if (about === null && GLOBAL_ONLY.includes(needs) && !may(this.rights, needs, null)) continue;
      const seen = about?.filter((group) => may(this.rights, needs, group));
      if (seen?.length === 0) continue;
      topics.push(topic);
      if (seen) for (const group of seen) groups.add(group);
      else general = true;
    }
    if (topics.length === 0) return false;
    const event: ChangedEvent = { at, topics, ...(general ? {} : { groups: [...groups] }) };
    this.send(`id: ${id}\nevent: changed\ndata: ${JSON.stringify(event)}\n\n`);
    return true;
  }

  reset(id: string, at: string): void {
    this.send(`id: ${id}\nevent: reset\ndata: ${JSON.stringify({ at })}\n\n`);
  }

  /**
   * So that both ends know the other is there; an event, because a browser's EventSource shows no comment lines. With an id: a client
   * that heard nothing else and comes back must be told what it missed, too.
   */
  beat(id: string, at: string): void {
    this.send(`id: ${id}\nevent: beat\ndata: ${JSON.stringify({ at })}\n\n`);
  }

  /** What its person may do from now on; told only if it is something else than before. */
  giveRights(rights: Rights, at: string): void {
    const isNew = !sameRights(this.rights, rights);
    this.rights = rights;
    if (isNew) this.send(`event: rights-changed\ndata: ${JSON.stringify({ at })}\n\n`);
  }

  endSession(at: string): void {
    this.send(`event: session-ended\ndata: ${JSON.stringify({ at })}\n\n`);
    this.close();
  }

  /** Behind what is unsent; the client asks again, perhaps another node. */
  close(): void {
    const { socket } = this.response;
    this.response.end(() => socket?.destroySoon());
  }

  private send(text: string): void {
    if (this.response.writableLength > MOST_UNSENT_BYTES) this.response.destroy();
    else this.response.write(text);
  }
}
