/** Every worker's points, sorted. */
export interface HashRing {
  /** What it was made of; another text needs another ring. */
  made: string;
  positions: Uint32Array;
  /** Index of the worker, by workerId ascending, at each position. */
  owners: Uint16Array;
}
