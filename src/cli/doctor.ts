import type { Command } from 'commander';
import type { Backends } from '../backends/backends.js';
import { type Config, loadConfig } from '../platform/config.js';
import { withAdmin } from './admin-context.js';
import { EXIT, print } from './output.js';

interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'failed';
  detail: string;
  hint?: string;
}
const MARK = { ok: '✓', warning: '!', failed: '✗' } as const;
const SKEW_MS = 500;

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check settings, database, Redis, clocks, migrations and workers; exit code 1 if something is broken')
    .option('--json', 'print JSON')
    .action(async (flags: { json?: boolean }) => {
      const findings = await examine(loadConfig());
      print(flags.json, findings, findings.flatMap(linesOf));
      if (findings.some(({ state }) => state === 'failed')) process.exitCode = EXIT.failed;
    });
}

const linesOf = ({ check, state, detail, hint }: Finding): string[] => [
  `${MARK[state]} ${check}: ${detail}`,
  ...(hint ? [`    ${hint}`] : []),
];

async function examine(config: Config): Promise<Finding[]> {
  const findings: Finding[] = [
    { check: 'settings', state: 'ok', detail: `${config.mode} mode` },
    config.defaultTimezoneStated
      ? { check: 'time zone', state: 'ok', detail: config.defaultTimezone }
      : {
          check: 'time zone',
          state: 'warning',
          detail: 'DEFAULT_TIMEZONE is not set: UTC',
          hint: 'set it to the zone your people think in, e.g. Asia/Shanghai',
        },
  ];
  try {
    const { openBackends } = await import('../backends/backends.js');
    const backends = await openBackends(config, 'migrate');
    try {
      const before = Date.now();
      const [row] = await backends.dialect.root.rows<{ now: number | string }>(`SELECT ${backends.dialect.nowMs} AS now`);
      const skew = Math.round(Number(row?.now) - (before + Date.now()) / 2);
      findings.push({ check: 'database', state: 'ok', detail: `${backends.dialect.name} answers in ${Date.now() - before} ms` });
      findings.push(
        Math.abs(skew) > SKEW_MS
          ? {
              check: 'clock',
              state: 'warning',
              detail: `this machine differs from the database by ${skew} ms`,
              hint: 'synchronise the clocks (NTP); the database clock decides',
            }
          : { check: 'clock', state: 'ok', detail: `${skew} ms from the database` },
      );
      findings.push(...(await examineSchema(backends)));
      findings.push(await examineSecrets());
    } finally {
      await backends.close();
    }
  } catch (error) {
    findings.push({
      check: 'backends',
      state: 'failed',
      detail: (error as Error).message,
      hint: 'check DATABASE_URL and REDIS_URL, and that both run',
    });
  }
  return findings;
}

async function examineSecrets(): Promise<Finding> {
  try {
    const [owner] = await withAdmin((services) => services.keys.checkStoredSecrets());
    if (owner)
      return {
        check: 'secrets',
        state: 'failed',
        detail: `the secret of ${owner} does not open with EK_KEKS: no callback is signed with it`,
        hint: 'put the key back and run `npx evenkeel keys rewrap`; if it is lost, rotate the secret with a grace of 0',
      };
    return { check: 'secrets', state: 'ok', detail: 'open with the keys of this node' };
  } catch (error) {
    return {
      check: 'secrets',
      state: 'failed',
      detail: (error as Error).message,
      hint: 'give this node the EK_KEKS of the others',
    };
  }
}

async function examineSchema({ dataSource, dialect }: Backends): Promise<Finding[]> {
  const { pendingMigrations } = await import('../backends/migrate.js');
  const pending = await pendingMigrations(dataSource);
  if (pending.length > 0)
    return [{ check: 'migrations', state: 'failed', detail: `${pending.length} pending`, hint: 'run `npx evenkeel migrate`' }];
  const workers = await dialect.root.rows<{ worker_id: string; worker_state: string; age: number | string }>(
    `SELECT worker_id, worker_state, ${dialect.nowMs} - last_beat_at AS age FROM workers`,
  );
  const live = workers.filter(
    ({ worker_state, age }) => worker_state !== 'gone' && worker_state !== 'offline' && Number(age) < 20_000,
  );
  return [
    { check: 'migrations', state: 'ok', detail: 'up to date' },
    live.length > 0
      ? { check: 'workers', state: 'ok', detail: live.map(({ worker_id }) => worker_id).join(', ') }
      : {
          check: 'workers',
          state: 'warning',
          detail: 'none is online',
          hint: 'tasks wait until one registers: `npx evenkeel worker`',
        },
  ];
}
