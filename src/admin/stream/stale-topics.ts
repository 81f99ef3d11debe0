import type { Topic } from '../contract/stream.js';

/** Topics that are out of date, with the groups it is about; null: not about single groups. */
export class StaleTopics {
  private readonly topics = new Map<Topic, Set<string> | null>();

  get size(): number {
    return this.topics.size;
  }

  add(topic: Topic, groups: Iterable<string> | null = null): void {
    const known = this.topics.get(topic);
    if (known === null) return;
    if (groups === null) this.topics.set(topic, null);
    else if (known) for (const group of groups) known.add(group);
    else this.topics.set(topic, new Set(groups));
  }

  addAll(entries: Iterable<readonly [Topic, Iterable<string> | null]>): void {
    for (const [topic, groups] of entries) this.add(topic, groups);
  }

  entries(): [Topic, string[] | null][] {
    return [...this.topics].map(([topic, groups]) => [topic, groups && [...groups]]);
  }

  /** The entries, and forgets them. */
  take(): [Topic, string[] | null][] {
    const entries = this.entries();
    this.topics.clear();
    return entries;
  }
}
