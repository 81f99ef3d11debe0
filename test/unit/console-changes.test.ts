import { changedMembers, instantOf, listsOf } from '../../console/src/features/audit/changes.js';

const change = (type: string, before: unknown, after: unknown) => ({ object: { type, id: 'x' }, before, after });

describe('what an entry of the audit log changed', () => {
  it('is told member by member, those within others too, and nothing of what stayed', () => {
    const before = { state: 'active', schedule: { kind: 'every', everyMs: 5_000 }, tags: ['a', 'b'], owner: null };
    const after = { state: 'paused', schedule: { kind: 'every', everyMs: 9_000 }, tags: ['a'], owner: 'ops' };
    expect(changedMembers(change('job', before, after))).toEqual([
      { name: 'state', from: 'active', to: 'paused' },
      { name: 'schedule.everyMs', from: '5000', to: '9000' },
      { name: 'tags', from: 'a, b', to: 'a' },
      { name: 'owner', from: null, to: 'ops' },
    ]);
    expect(changedMembers(change('user', null, null))).toEqual([]);
    expect(changedMembers(change('bulk', null, { filter: { state: ['PENDING', 'FAILED'] }, some: [{ a: 1 }] }))).toEqual([
      { name: 'filter.state', from: null, to: 'PENDING, FAILED' },
      { name: 'some', from: null, to: '[{"a":1}]' },
    ]);
  });

  it('has instants where a member is one by its name, and none in what somebody wrote', () => {
    const at = '2026-12-02T08:59:45.563Z';
    expect(instantOf({ name: 'expiresAt' }, at)).toBe(Date.parse(at));
    expect(instantOf({ name: 'heldUntil' }, at)).toBe(Date.parse(at));
    expect(instantOf({ name: 'filter.from' }, at)).toBe(Date.parse(at));
    expect(instantOf({ name: 'schedule.startAt' }, '2026-12-02T08:59:45+08:00')).toBe(Date.parse('2026-12-02T00:59:45Z'));
    for (const name of ['description', 'metadata.paidAt', 'paramsText', 'label', 'url'])
      expect(instantOf({ name }, at)).toBeNull();
    expect(instantOf({ name: 'expiresAt' }, 'tomorrow')).toBeNull();
  });

  it('has states of what was acted on, and none in what somebody wrote', () => {
    expect(listsOf(change('task', null, null), { name: 'state' })).toEqual(['state']);
    expect(listsOf(change('bulk', null, null), { name: 'filter.state' })).toContain('state');
    expect(listsOf(change('user', null, null), { name: 'grants.pay' })).toEqual(['role']);
    expect(listsOf(change('job', null, null), { name: 'metadata.state' })).toEqual([]);
    expect(listsOf(change('job', null, null), { name: 'owner' })).toEqual([]);
  });
});
