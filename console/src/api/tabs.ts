/**
 * Which of a browser's tabs holds the one stream. Tabs tell each other over a channel of the browser; nobody else is asked. The leader
 * says so every two seconds, and whoever has not heard it for five takes its place, so a tab that crashed is missed for five seconds
 * and one that was closed not at all. If two lead for a moment, the one with the lower id goes on: two streams do no harm, they only
 * cost a connection. A browser without channels has every tab lead itself.
 */
const SAY_MS = 2_000;
const SILENT_MS = 5_000;
/** When a leader last said so: a tab that opens sees at once that there is none. */
const STAMP = 'evenkeel.leader';

/** Of all tabs of the browser that show this console. */
export const TAB_CHANNEL = 'evenkeel.stream';

export type TabMessage =
  | { kind: 'lead'; from: string }
  | { kind: 'leave'; from: string }
  /** What the sender wants to hear of, beyond what all do; null when it goes. */
  | { kind: 'want'; from: string; task: string | null }
  /** What the stream said, for all tabs. */
  | { kind: 'told'; from: string; event: string; data: string }
  /** Somebody signed in or out in the sender. */
  | { kind: 'session' };

export class Tabs {
  readonly id = crypto.getRandomValues(new Uint32Array(2)).join('-');
  private readonly channel = 'BroadcastChannel' in window ? new BroadcastChannel(TAB_CHANNEL) : null;
  private timer: ReturnType<typeof setInterval> | undefined;
  private heardLeaderAt = Number.NEGATIVE_INFINITY;
  private leads = false;
  /** Wants to lead when nobody does: not while hidden or paused. */
  private able = false;

  constructor(
    private readonly on: {
      lead: (leads: boolean) => void;
      message: (message: TabMessage) => void;
    },
  ) {}

  get leading(): boolean {
    return this.leads;
  }

  start(): void {
    this.able = true;
    if (!this.channel) {
      this.take();
      return;
    }
    this.channel.onmessage = ({ data }: MessageEvent<TabMessage>) => this.heard(data);
    this.timer ??= setInterval(() => this.round(), SAY_MS);
    if (!isStamped()) this.take();
    // Whoever leads answers at once; the wait differs from tab to tab, so that they do not all begin together.
    else setTimeout(() => this.round(), 300 + Math.random() * 200);
  }

  /** Leads no more and does not want to. */
  stop(): void {
    this.able = false;
    clearInterval(this.timer);
    this.timer = undefined;
    if (this.leads) {
      stamp(0);
      this.say({ kind: 'leave', from: this.id });
    }
    this.set(false);
  }

  say(message: TabMessage): void {
    this.channel?.postMessage(message);
  }

  private round(): void {
    if (this.leads) this.lead();
    else if (this.able && performance.now() - this.heardLeaderAt > SILENT_MS) this.take();
  }

  private take(): void {
    this.set(true);
    this.lead();
  }

  private lead(): void {
    stamp(Date.now());
    this.say({ kind: 'lead', from: this.id });
  }

  private heard(message: TabMessage): void {
    if (message.kind === 'session' || message.from === this.id) return;
    if (message.kind === 'lead') {
      this.heardLeaderAt = performance.now();
      if (!this.leads) return;
      if (message.from < this.id) this.set(false);
      else this.lead();
    } else if (message.kind === 'leave') {
      this.heardLeaderAt = Number.NEGATIVE_INFINITY;
      setTimeout(() => this.round(), Math.random() * 200);
    } else if (message.kind === 'want' && this.leads) this.lead();
    this.on.message(message);
  }

  private set(leads: boolean): void {
    if (this.leads === leads) return;
    this.leads = leads;
    this.on.lead(leads);
  }
}

function isStamped(): boolean {
  try {
    return Date.now() - Number(localStorage.getItem(STAMP)) < SILENT_MS;
  } catch {
    return true;
  }
}

function stamp(at: number): void {
  try {
    localStorage.setItem(STAMP, String(at));
  } catch {
    // Without it a tab that opens waits for half a second.
  }
}
