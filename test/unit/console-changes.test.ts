import { changedMembers, instantOf, lengthOf, listsOf, memberName } from '../../console/src/features/audit/changes.js';

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

  it('tells first what says more than which object it was', () => {
    const names = (before: object | null, after: object) => changedMembers(change('job', before, after)).map(({ name }) => name);
    expect(names({ version: 1, priority: 5 }, { version: 2, priority: 3 })).toEqual(['priority', 'version']);
    expect(names(null, { accessKey: 'ak', app: { id: 'app_1' }, label: 'mall' })).toEqual(['label', 'accessKey', 'app.id']);
  });

  it('is called by the words there are for the parts of its path, never what somebody made up', () => {
    const words = new Map(
      Object.entries({
        state: '状态',
        filter: '条件',
        from: '开始',
        'filter.from': '不早于',
        grants: '角色',
        metadata: '元数据',
        'bulk.kind': '操作',
      }),
    );
    const called = (name: string, type = 'job') =>
      memberName(change(type, null, null), { name }, (path) => words.get(path) ?? null);
    expect(called('state')).toBe('状态');
    expect(called('filter.from')).toBe('条件 · 不早于');
    expect([called('kind', 'bulk'), called('kind')]).toEqual(['操作', 'kind']);
    expect(called('from')).toBe('开始');
    expect(called('grants.state')).toBe('角色 · state');
    expect(called('metadata.a.state')).toBe('元数据 · a.state');
    expect(called('learntSince.state')).toBe('learntSince · 状态');
  });

  it('has lengths of time where a member is one by its name', () => {
    expect(lengthOf({ name: 'schedule.everyMs' }, '9000')).toBe(9_000);
    expect(lengthOf({ name: 'metadata.paidMs' }, '9000')).toBeNull();
    expect(lengthOf({ name: 'timeoutMs' }, 'soon')).toBeNull();
    expect(lengthOf({ name: 'priority' }, '5')).toBeNull();
  });

  it('has kinds of what was acted on, or of the member they are of', () => {
    expect(listsOf(change('bulk', null, null), { name: 'kind' })).toEqual(['bulk']);
    expect(listsOf(change('key', null, null), { name: 'kind' })).toEqual(['keys.kind']);
    expect(listsOf(change('job', null, null), { name: 'schedule.kind' })).toEqual(['jobs.kind']);
    expect(listsOf(change('job', null, null), { name: 'schedule.dst.overlap' })).toEqual(['jobs.dstOverlap']);
    expect(listsOf(change('job', null, null), { name: 'overlap' })).toEqual(['overlap']);
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
