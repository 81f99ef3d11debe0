/** Highest priority first (10 before 1), then in order of arrival. Constant time. */
export class PriorityQueue<T> {
  private readonly lanes: Lane<T>[] = Array.from({ length: 11 }, () => ({ items: [], head: 0 }));
  private highest = 0;

  push(priority: number, item: T): void {
    (this.lanes[priority] as Lane<T>).items.push(item);
    if (priority > this.highest) this.highest = priority;
  }

  peek(): T | undefined {
    for (; this.highest > 0; this.highest--) {
      const lane = this.lanes[this.highest] as Lane<T>;
      if (lane.head < lane.items.length) return lane.items[lane.head];
    }
    return undefined;
  }

  shift(): T | undefined {
    const item = this.peek();
    if (item === undefined) return undefined;
    const lane = this.lanes[this.highest] as Lane<T>;
    lane.items[lane.head] = undefined as T;
    lane.head++;
    if (lane.head === lane.items.length || lane.head > 1024) {
      lane.items.splice(0, lane.head);
      lane.head = 0;
    }
    return item;
  }
}

interface Lane<T> {
  items: T[];
  head: number;
}
