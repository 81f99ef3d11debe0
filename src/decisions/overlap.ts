export const OVERLAPS = ['skip', 'queue', 'replace', 'allow'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** More waiting tasks of one job than this are not kept: the job is slower than its schedule. */
export const WAITING_LIMIT = 1_000;

/** The tasks of a job that have not ended: those that wait for their turn, and all others. */
export interface Occupation {
  going: number;
  waiting: number;
}

/** What becomes of a new task of a job whose earlier tasks may still be going; `replace` also cancels those (see `superseded`). */
export function admission(overlap: Overlap, maxParallel: number, { going, waiting }: Occupation): 'start' | 'wait' | 'skip' {
  switch (overlap) {
    case 'skip':
      return going + waiting === 0 ? 'start' : 'skip';
    case 'allow':
      return going + waiting < maxParallel ? 'start' : 'skip';
    case 'queue':
      if (going + waiting === 0) return 'start';
      return waiting < WAITING_LIMIT ? 'wait' : 'skip';
    case 'replace':
      return going + waiting === 0 ? 'start' : 'wait';
  }
}

/** How many tasks of a job may go at once: with one fewer there a task starts, with as many it does not. */
export const places = (overlap: Overlap, maxParallel: number): number => (overlap === 'allow' ? maxParallel : 1);

/** A task of a job in the order they came. */
export interface Occupant {
  id: string;
  waiting: boolean;
}

/** Those a newer one replaces: all but the newest, once the newest waits. */
export function superseded(overlap: Overlap, occupants: readonly Occupant[]): string[] {
  if (overlap !== 'replace' || !occupants.at(-1)?.waiting) return [];
  return occupants.slice(0, -1).map(({ id }) => id);
}

/** Of how many waiting tasks it is the turn now; those that came first have it. */
export function turns(overlap: Overlap, maxParallel: number, { going, waiting }: Occupation): number {
  return Math.max(0, Math.min(waiting, places(overlap, maxParallel) - going));
}
