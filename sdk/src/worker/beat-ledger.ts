import { type AttemptPhase, type AttemptReport, LIMITS } from '../contract/index.js';
import type { AttemptChange } from './beat-messages.js';

/** Room for the rest of the beat and its brackets. */
const BUDGET_BYTES = LIMITS.channelBodyBytes - 8 * 1024;

interface Entry {
  taskId: string;
  lease: number;
  phase: AttemptPhase;
  progress?: number;
  checkpoint?: string;
}

/** The beat thread's copy of the attempts, written as the JSON of a beat. A checkpoint is sent until a beat with it was acknowledged. */
export class BeatLedger {
  private readonly entries = new Map<string, Entry>();

  apply(changes: AttemptChange[]): void {
    for (const { taskId, lease, phase, progress, checkpoint } of changes) {
      const key = `${taskId}:${lease}`;
      if (phase === 'gone') {
        this.entries.delete(key);
        continue;
      }
      const entry = this.entries.get(key);
      if (entry === undefined) this.entries.set(key, { taskId, lease, phase, progress, checkpoint });
      else {
        entry.phase = phase;
        entry.progress = progress ?? entry.progress;
        entry.checkpoint = checkpoint ?? entry.checkpoint;
      }
    }
  }

  /** Every attempt is named; a checkpoint that does not fit waits for a later beat. `delivered` is called on acknowledgement. */
  write(): { json: string; delivered: () => void } {
    const written = [...this.entries.values()].map((entry) => {
      const { taskId, lease, phase, progress } = entry;
      const report: AttemptReport = { taskId, lease, phase, progress };
      return { entry, json: JSON.stringify(report), checkpoint: undefined as string | undefined };
    });
    let bytes = written.reduce((sum, { json }) => sum + json.length + 1, 0);
    for (const each of written) {
      const { checkpoint } = each.entry;
      if (checkpoint === undefined) continue;
      const size = Buffer.byteLength(checkpoint) + 16;
      if (bytes + size > BUDGET_BYTES) continue;
      bytes += size;
      each.checkpoint = checkpoint;
      each.json = `${each.json.slice(0, -1)},"checkpoint":${checkpoint}}`;
    }
    const delivered = () => {
      for (const { entry, checkpoint } of written) if (entry.checkpoint === checkpoint) entry.checkpoint = undefined;
    };
    return { json: `[${written.map(({ json }) => json).join(',')}]`, delivered };
  }
}
