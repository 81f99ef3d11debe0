import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const runner = join(dirname(createRequire(__filename).resolve('jest/package.json')), 'bin', 'jest.js');
const root = join(__dirname, '..', '..', '..');
const literal = ['truth-table', 'cron-dialect'].map((name) => `test/unit/schedule/${name}.test.ts`);

it.each(['UTC', 'Asia/Shanghai'])(
  'the tables hold in a process of the zone %s',
  (TZ) => {
    const { status, stderr } = spawnSync(process.execPath, [runner, '--runInBand', ...literal], {
      cwd: root,
      env: { ...process.env, TZ, NODE_ENV: 'test' },
      encoding: 'utf8',
    });
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  },
  120_000,
);
