import { addDuration, type DurationHistogram, percentiles } from '../../src/decisions/duration-histogram.js';
import {
  type GlobalRole,
  groupsWith,
  may,
  mayAnywhere,
  PERMISSIONS,
  type Permission,
  type Rights,
  ROLE_PERMISSIONS,
  type Role,
} from '../../src/decisions/permissions.js';
import { withoutSecrets } from '../../src/decisions/without-secrets.js';

const rights = (role: GlobalRole, grants: Record<string, Role> = {}): Rights => ({
  role,
  grants: new Map(Object.entries(grants)),
});

describe('permissions', () => {
  it('grow from viewer to operator to admin', () => {
    const { viewer, operator, admin } = ROLE_PERMISSIONS;
    expect(operator).toEqual(expect.arrayContaining([...viewer]));
    expect(admin).toEqual([...PERMISSIONS]);
    for (const permission of ['jobs.edit', 'groups.edit', 'keys.manage', 'users.manage'] as const)
      expect(operator).not.toContain(permission);
  });

  it.each<[Rights, Permission, string | null, boolean]>([
    [rights('none'), 'tasks.view', 'a', false],
    [rights('none', { a: 'operator' }), 'tasks.cancel', 'a', true],
    [rights('none', { a: 'operator' }), 'tasks.cancel', 'b', false],
    [rights('none', { a: 'operator' }), 'tasks.view', null, false],
    [rights('none', { a: 'admin' }), 'keys.manage', 'a', false],
    [rights('viewer', { a: 'admin' }), 'jobs.edit', 'a', true],
    [rights('admin', { a: 'viewer' }), 'jobs.edit', 'a', true],
  ])('%j may %s in %s: %s', (who, permission, group, expected) => {
    expect(may(who, permission, group)).toBe(expected);
    expect(groupsWith(who, permission, ['a', 'b']).includes(group ?? '')).toBe(group === null ? false : expected);
    if (expected) expect(mayAnywhere(who, permission)).toBe(true);
  });
});

describe('the histogram of durations', () => {
  it('tells percentiles to about ten percent', () => {
    const histogram: DurationHistogram = {};
    for (let ms = 1; ms <= 10_000; ms++) addDuration(histogram, ms);
    const { values, count } = percentiles(histogram, [0.5, 0.95, 0.99]) as { values: number[]; count: number };
    expect(count).toBe(10_000);
    [5_000, 9_500, 9_900].forEach((exact, i) => {
      expect(Math.abs((values[i] as number) - exact) / exact).toBeLessThan(0.1);
    });
    expect(percentiles({}, [0.5])).toBeNull();
  });
});

describe('what the audit log keeps', () => {
  it('has no values of members that are named like secrets', () => {
    const kept = withoutSecrets({ name: 'x', secretKey: 's1', deep: [{ password: 's2', apiToken: 's3', Authorization: null }] });
    expect(kept).toEqual({ name: 'x', secretKey: '***', deep: [{ password: '***', apiToken: '***', Authorization: null }] });
  });
});
