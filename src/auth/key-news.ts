import { Injectable } from '@nestjs/common';

/** Requests of one key that were answered. */
export interface KeyRequests {
  accessKey: string;
  requests: number;
  /** Answered 4xx or 5xx. */
  failed: number;
}

/** What this node answered to whom, for figures. Nothing depends on it. A listener must be quick and must not throw. */
@Injectable()
export class KeyNews {
  private readonly listeners: ((used: KeyRequests) => void)[] = [];

  used(used: KeyRequests): void {
    for (const listener of this.listeners) listener(used);
  }

  onUsed(listener: (used: KeyRequests) => void): void {
    this.listeners.push(listener);
  }
}
