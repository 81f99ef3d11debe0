import { GroupStore } from '../../src/jobs/group.store.js';
import { GroupsService } from '../../src/jobs/groups.service.js';
import { UnfinishedTasks } from '../../src/tasks/unfinished-tasks.js';
import { UnfinishedTasksStore } from '../../src/tasks/unfinished-tasks.store.js';
import { HandMovedClock } from '../support/hand-moved-clock.js';
import { seedTasks } from '../support/seeded-tasks.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';

describe.each(ADAPTERS)('groups (%s)', (adapter) => {
  let database: FreshDatabase;
  let backends: Awaited<ReturnType<FreshDatabase['open']>>;
  let clock: HandMovedClock;
  const started: GroupsService[] = [];
  /** The groups as one more node of the same database keeps them. */
  const node = async (): Promise<GroupsService> => {
    const { dialect, signals } = backends;
    const service = new GroupsService(dialect, new GroupStore(dialect), clock, signals);
    await service.onApplicationBootstrap();
    started.push(service);
    return service;
  };
  beforeAll(async () => {
    database = await freshDatabase(adapter);
    backends = await database.open();
  });
  beforeEach(() => {
    clock = new HandMovedClock();
  });
  afterEach(async () => {
    for (const service of started.splice(0)) await service.onApplicationShutdown();
  });
  afterAll(() => database.drop());

  it('are created once, with the settings stated and the defaults for the others', async () => {
    const groups = await node();
    expect(await groups.create('mail', { maxDispatchRate: 50, policies: { priority: 7 } })).toMatchObject({
      outcome: 'created',
      group: { maxRunning: 200, maxPending: 1_000_000, maxDispatchRate: 50, policies: { priority: 7 }, version: 1, held: false },
    });
    expect(await groups.create('mail')).toEqual({ outcome: 'key_taken' });
  });

  it('are changed by whoever knows the current version, and tell the others what it is', async () => {
    const groups = await node();
    await groups.create('edited');
    expect(await groups.update('edited', 1, { maxRunning: 3 })).toMatchObject({
      outcome: 'changed',
      group: { maxRunning: 3, version: 2 },
    });
    expect(await groups.update('edited', 1, { maxRunning: 9 })).toMatchObject({
      outcome: 'conflict',
      current: { maxRunning: 3, version: 2 },
    });
    expect(await groups.update('nowhere', 1, {})).toEqual({ outcome: 'not_found' });
  });

  it('whose row somebody spoiled state nothing, can be changed, and hide no other', async () => {
    const groups = await node();
    await groups.create('spoiled', { policies: { priority: 7 }, routing: 'random' });
    for (const text of ['null', '[]', '{"retry":"often"}', '{']) {
      const spoil = 'UPDATE task_groups SET policies_json = ?, routing = ? WHERE group_key = ?';
      await backends.dialect.root.run(spoil, [text, 'nearest', 'spoiled']);
      const again = await node();
      expect(again.all().find(({ key }) => key === 'spoiled')).toMatchObject({ policies: {}, routing: null });
    }
    expect(await groups.update('spoiled', null, { maxRunning: 4 })).toMatchObject({
      outcome: 'changed',
      group: { maxRunning: 4, policies: {}, routing: null },
    });
  });

  it('let exactly one of many edits from the same version through', async () => {
    const groups = await node();
    await groups.create('raced');
    const outcomes = await Promise.all([1, 2, 3, 4, 5].map((maxRunning) => groups.update('raced', 1, { maxRunning })));
    expect(outcomes.filter(({ outcome }) => outcome === 'changed')).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === 'conflict')).toHaveLength(4);
  });

  it('refuse settings that break a rule, naming field and rule', async () => {
    const groups = await node();
    await groups.create('strict');
    const codes = async (changes: object) =>
      groups
        .update('strict', null, changes)
        .catch((error) => error.extras.errors.map((each: { pointer: string }) => each.pointer));
    expect(await codes({ maxRunning: -1 })).toEqual(['/maxRunning']);
    expect(await codes({ maxDispatchRate: 0 })).toEqual(['/maxDispatchRate']);
    expect(await codes({ policies: { priority: 11, colour: 'red' } })).toEqual(['/policies/priority', '/policies/colour']);
    await expect(groups.create('with blank')).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(groups.hold('strict', '', null)).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(groups.hold('strict', 'why', clock.now())).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('change on every node as soon as one changes them', async () => {
    const [one, other] = [await node(), await node()];
    await one.create('shared');
    await waitFor('the other knows it', () => other.byKey('shared'));
    const heard: string[] = [];
    other.onChange((changed) => heard.push(...changed.map(({ key }) => key)));
    await one.update('shared', 1, { maxRunning: 1 });
    await waitFor('the other has the quota', () => other.byKey('shared')?.maxRunning === 1);
    await one.hold('shared', 'incident', null);
    await waitFor('the other holds it', () => other.byKey('shared')?.holdReason === 'incident');
    expect(heard).toContain('shared');
    await one.release('shared');
    await waitFor('the other has released it', () => other.byKey('shared')?.held === false);
  });

  it('are held until they are released or the hold ends by itself; neither is an edit', async () => {
    const groups = await node();
    await groups.create('paused');
    const held = await groups.hold('paused', 'incident', null);
    expect(held).toMatchObject({ held: true, holdReason: 'incident', heldUntil: null, version: 1 });
    const isHeld = () => groups.isHeld(groups.byKey('paused') as never);
    expect(isHeld()).toBe(true);
    expect(await groups.release('paused')).toMatchObject({ held: false, holdReason: null });
    expect(isHeld()).toBe(false);
    await groups.hold('paused', 'deploy', clock.now() + 1_000);
    expect(isHeld()).toBe(true);
    clock.pass(1_001);
    expect(isHeld()).toBe(false);
    expect(await groups.hold('nowhere', 'why', null)).toBeNull();
  });

  it('are full while they have as many pending tasks as they may', async () => {
    const groups = await node();
    const created = await groups.create('small', { maxPending: 20 });
    const group = 'group' in created ? created.group : undefined;
    expect(groups.backlogFull(group?.id as number)).toBe(false);
    await seedTasks(backends, group as never, 25);
    const other = await node();
    expect(other.backlogFull(group?.id as number)).toBe(true);
    expect(other.pendingOf(group?.id as number)).toBe(20);
    await other.update('small', null, { maxPending: 21 });
    expect(other.backlogFull(group?.id as number)).toBe(false);
  });

  it('count what each app has not finished, looking at the tasks only when some limit may be reached', async () => {
    const groups = await node();
    const created = await groups.create('apps');
    const group = 'group' in created ? created.group : undefined;
    const asked: string[] = [];
    const root = {
      ...backends.dialect.root,
      rows: (sql: string, params?: unknown[]) => {
        asked.push(sql);
        return backends.dialect.root.rows(sql, params);
      },
    };
    const dialect = Object.assign(Object.create(backends.dialect), { root });
    const unfinished = new UnfinishedTasks(dialect, new UnfinishedTasksStore(), groups, clock);
    await unfinished.count();
    expect(asked).toEqual([]);
    await seedTasks(backends, group as never, 40, (i) => ({
      appId: i % 4 === 0 ? 78 : 77,
      state: i % 2 ? 'SCHEDULED' : 'PENDING',
    }));
    expect(unfinished.reached(77, 1_000)).toBe(false);
    await unfinished.count();
    expect(asked.every((sql) => !sql.includes('GROUP BY app_id'))).toBe(true);
    expect(unfinished.reached(77, 30)).toBe(false);
    await unfinished.count();
    expect([unfinished.reached(77, 30), unfinished.reached(77, 31), unfinished.reached(78, 30)]).toEqual([true, false, false]);
    expect(unfinished.shares()).toContainEqual({ appId: 77, unfinished: 30, limit: 31 });
  });
});
