import type { Instant } from './page.js';

/** `task:<id>` for one task. */
export type Topic = 'tasks' | 'jobs' | 'workers' | 'groups' | 'overview' | 'bulk' | 'callbacks' | `task:${string}`;
/** Event `changed`: what was shown of these topics is out of date. At most one a second. */
export interface ChangedEvent {
  at: Instant;
  topics: Topic[];
  /** Groups it is about, among those the caller may see; absent: not about single groups. */
  groups?: string[];
}
/**
 * Event `beat`: the server is there; every 15 s. Event `reset`: what was missed is not known; read everything again. Event
 * `session-ended`: sign in again. Event `rights-changed`: its person may do other things than before; read the session and everything
 * again.
 */
export interface ResetEvent {
  at: Instant;
}
