import type { Query, QueryClient } from '@tanstack/react-query';

/** Figures over everything are asked for again at most this often, whatever changes meanwhile. */
const DEAR_MS = 5_000;

/**
 * Makes the queries of topics ask again. One whose answer is still on its way is let finish and asks once more then: were it broken
 * off, a server slower than its news would never be heard. A query with `meta.dear` waits for its turn, which comes every five seconds, or
 * less often if everything does.
 */
export class StaleQueries {
  private readonly owed = new Set<Query>();
  private readonly news = new Set<string>();
  private readonly dear = new Set<string>();
  private turn: ReturnType<typeof setTimeout> | undefined;
  private pace: ReturnType<typeof setTimeout> | undefined;

  /** `paceMs`: the least time between two rounds of asking. */
  constructor(
    private readonly client: QueryClient,
    private readonly paceMs: () => number,
  ) {}

  /** What is told in one turn of the loop is asked for once, and in one pace; the first of them at once. `dear`: those too. */
  told(topics: Iterable<string>, dear = true): void {
    if (this.news.size === 0 && this.pace === undefined) queueMicrotask(() => this.askNews());
    for (const topic of topics) {
      this.news.add(topic);
      if (dear) this.dear.add(topic);
    }
  }

  /** Nothing more is asked for. */
  stop(): void {
    clearTimeout(this.pace);
    this.pace = undefined;
    clearTimeout(this.turn);
    this.turn = undefined;
    this.news.clear();
    this.dear.clear();
    this.owed.clear();
  }

  private askNews(): void {
    const wanted = new Set(this.news);
    this.news.clear();
    if (wanted.size === 0) return;
    this.pace = setTimeout(() => {
      this.pace = undefined;
      this.askNews();
    }, this.paceMs());
    this.ask(({ queryKey, meta }) => !meta?.dear && wanted.has(String(queryKey[0])));
    if (this.turn === undefined) this.askDear();
  }

  private askDear(): void {
    this.turn = undefined;
    if (this.dear.size === 0) return;
    const wanted = new Set(this.dear);
    this.dear.clear();
    this.ask(({ queryKey, meta }) => Boolean(meta?.dear) && wanted.has(String(queryKey[0])));
    this.turn = setTimeout(() => this.askDear(), Math.max(DEAR_MS, this.paceMs()));
  }

  private ask(predicate: (query: Query) => boolean): void {
    for (const query of this.client.getQueryCache().findAll({ predicate, fetchStatus: 'fetching', type: 'active' }))
      this.owe(query);
    void this.client.invalidateQueries({ predicate }, { cancelRefetch: false });
  }

  private owe(query: Query): void {
    if (this.owed.has(query)) return;
    this.owed.add(query);
    const again = () => {
      if (this.owed.delete(query)) void this.client.invalidateQueries({ predicate: (each) => each === query });
    };
    void query.promise?.then(again, again);
  }
}
