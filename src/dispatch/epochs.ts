/** What workers are told of partitions, so that they refuse orders of a holder that was replaced. */
export abstract class Epochs {
  /** Highest epoch this node knows of each partition, by number. */
  abstract known(): Record<string, number>;
}
