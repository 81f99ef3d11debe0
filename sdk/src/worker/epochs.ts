/** The highest epoch seen of each partition: an order of an older one comes from a node that no longer holds the partition. */
export class Epochs {
  private readonly seen = new Map<number, number>();

  of(partition: number): number {
    return this.seen.get(partition) ?? 0;
  }

  observe(partition: number, epoch: number): void {
    if (epoch > this.of(partition)) this.seen.set(partition, epoch);
  }

  observeAll(epochs: Record<string, number>): void {
    for (const [partition, epoch] of Object.entries(epochs)) {
      if (Number.isSafeInteger(epoch)) this.observe(Number(partition), epoch);
    }
  }
}
