import { Injectable } from '@nestjs/common';

/** One thing that must hold before this node should receive traffic. Resolves to null when it holds, else to a reason for people. */
export interface ReadinessCheck {
  name: string;
  check(): Promise<string | null>;
}

/** Where modules register what readiness means for them: database, migrations, partitions. */
@Injectable()
export class Readiness {
  private readonly checks: ReadinessCheck[] = [];

  add(check: ReadinessCheck): void {
    this.checks.push(check);
  }

  /** Asks all at once; a check that throws or takes longer than two seconds does not hold. */
  async ask(): Promise<{ ready: boolean; checks: Record<string, string> }> {
    const answers = await Promise.all(
      this.checks.map(async ({ name, check }) => [name, await answerWithin(check, 2000)] as const),
    );
    return {
      ready: answers.every(([, reason]) => reason === null),
      checks: Object.fromEntries(answers.map(([name, reason]) => [name, reason ?? 'ok'])),
    };
  }
}

async function answerWithin(check: () => Promise<string | null>, limitMs: number): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('no answer in time'), limitMs);
  });
  try {
    return await Promise.race([check(), late]);
  } catch {
    return 'failed';
  } finally {
    clearTimeout(timer);
  }
}
