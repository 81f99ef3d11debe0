import { Injectable } from '@nestjs/common';

/** An attempt that has been written down. */
export interface MadeAttempt {
  /** Null for a task's own callbackUrl. */
  endpointId: string | null;
  succeeded: boolean;
  /** No request was made: the target is not allowed. */
  refused: boolean;
  durationMs: number;
}

/**
 * What this node did to deliveries, told after the commit: for figures and for people who watch. Nothing depends on it, and what a
 * process dies over is not told. A listener must be quick and must not throw.
 */
@Injectable()
export class DeliveryNews {
  private readonly listeners: (() => void)[] = [];
  private readonly attemptListeners: ((attempt: MadeAttempt) => void)[] = [];

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  attempted(attempt: MadeAttempt): void {
    for (const listener of this.attemptListeners) listener(attempt);
    this.changed();
  }

  onChanged(listener: () => void): void {
    this.listeners.push(listener);
  }

  onAttempt(listener: (attempt: MadeAttempt) => void): void {
    this.attemptListeners.push(listener);
  }
}
