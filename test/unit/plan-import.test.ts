import { checkConfiguration } from '../../src/decisions/check-configuration.js';
import { configurationText, type ExportedJob } from '../../src/decisions/configuration-file.js';
import { type Existing, planJob, renameConflicts } from '../../src/decisions/plan-import.js';

const job = (key: string, handler: string, upstreams: string[] = []): ExportedJob =>
  ({
    group: 'g',
    key,
    handler,
    paramsText: 'null',
    schedule: { kind: upstreams.length > 0 ? 'upstream' : 'manual' },
    ...(upstreams.length > 0 ? { upstreams } : {}),
  }) as ExportedJob;
const read = (jobs: ExportedJob[]) => {
  const { jobs: checked, errors } = checkConfiguration(configurationText([], jobs), 'UTC');
  expect(errors).toEqual([]);
  return checked;
};
/** As the installation would export them. */
const installed = (...jobs: ExportedJob[]): Existing => {
  const written = new Map(
    read(jobs).map((each) => {
      const { diff } = planJob({ ...each, renamedFrom: null }, undefined, 'skip');
      return [each.key, Object.fromEntries(diff.map(({ field, after }) => [field, JSON.parse(after as string)])) as ExportedJob];
    }),
  );
  return ({ key }) => written.get(key);
};
const names = (jobs: ExportedJob[], existing: Existing) =>
  renameConflicts(read(jobs), existing).map(({ key, renamedFrom, upstreams }) => [
    key,
    renamedFrom,
    upstreams.map((upstream) => upstream.key),
  ]);

describe('jobs of a file that are there already', () => {
  it('keep their keys where nothing differs, and where nothing is', () => {
    expect(names([job('a', 'h'), job('b', 'h')], installed(job('a', 'h')))).toEqual([
      ['a', null, []],
      ['b', null, []],
    ]);
  });

  it('get keys of their own where they differ, and what waits for them follows', () => {
    const file = [job('a', 'new'), job('b', 'h', ['a']), job('c', 'h', ['b'])];
    expect(names(file, installed(job('a', 'old'), job('b', 'h', ['a'])))).toEqual([
      ['a-2', 'a', []],
      ['b-2', 'b', ['a-2']],
      ['c', null, ['b-2']],
    ]);
  });

  it('get the next key that is free in the installation and in the file', () => {
    const file = [job('a', 'new'), job('a-3', 'h')];
    expect(names(file, installed(job('a', 'old'), job('a-2', 'other')))).toEqual([
      ['a-4', 'a', []],
      ['a-3', null, []],
    ]);
  });

  it('are the same again when the file is taken in twice', () => {
    const file = [job('a', 'new'), job('b', 'h', ['a'])];
    const existing = installed(job('a', 'old'), job('b', 'h', ['a']), job('a-2', 'new'), job('b-2', 'h', ['a-2']));
    const again = renameConflicts(read(file), existing);
    expect(again.map(({ key }) => key)).toEqual(['a-2', 'b-2']);
    expect(again.map((each) => planJob(each, existing(each), 'rename').action)).toEqual(['unchanged', 'unchanged']);
  });

  it('get keys that are not too long', () => {
    const long = 'k'.repeat(64);
    expect(names([job(long, 'new')], installed(job(long, 'old')))).toEqual([[`${'k'.repeat(62)}-2`, long, []]]);
  });

  it('come to an end also where the file has a circle', () => {
    const circle = [job('a', 'new', ['b']), job('b', 'new', ['a'])];
    const existing = installed(job('a', 'old'), job('b', 'old'), job('a-2', 'new', ['b']), job('b-2', 'new', ['a']));
    expect(names(circle, existing).map(([key]) => key)).toEqual(['a-3', 'b-3']);
  });
});
