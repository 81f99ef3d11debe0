/** Those who wait for something that may not come in time. */
export class Waiters {
  private waiting: (() => void)[] = [];

  get any(): boolean {
    return this.waiting.length > 0;
  }

  /** Resolves at the next `wake`, or when the time is over. */
  within(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  wake(): void {
    for (const each of this.waiting.splice(0)) each();
  }
}
