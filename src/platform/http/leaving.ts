import { Injectable } from '@nestjs/common';

/** Whether this node is on its way out: said once, before anything else of a stop, and never taken back. */
@Injectable()
export class Leaving {
  private readonly listeners: (() => void)[] = [];
  private begun = false;

  get hasBegun(): boolean {
    return this.begun;
  }

  /** A listener must be quick and must not throw: others wait behind it. */
  onBegin(listener: () => void): void {
    this.listeners.push(listener);
  }

  begin(): void {
    if (this.begun) return;
    this.begun = true;
    for (const listener of this.listeners) listener();
  }
}
