import { chainFrom, clustersOf, flowByJob, isLate, neighboursOf, treeOf } from '../../console/src/features/graph/graph-model.js';
import type { JobGraph } from '../../src/admin/contract/jobs.js';
import type { TaskSummary } from '../../src/admin/contract/tasks.js';

type Job = JobGraph['nodes'][number];
const job = (id: string, more: Partial<Job> = {}): Job => ({
  id,
  key: id,
  group: 'g',
  kind: 'upstream',
  state: 'active',
  nextFireAt: null,
  last: null,
  ...more,
});
const graph = (nodes: Job[], edges: [string, string][]): JobGraph => ({
  nodes,
  edges: edges.map(([from, to]) => ({ from, to })),
  truncated: false,
});

describe('the graph of jobs in the console', () => {
  it('lists every edge, a job below each it waits for, and what follows it once', () => {
    const diamond = graph(
      ['a', 'b', 'c', 'd', 'z'].map((id) => job(id)),
      [
        ['a', 'b'],
        ['a', 'c'],
        ['b', 'd'],
        ['c', 'd'],
      ],
    );
    expect(treeOf(diamond).map(({ job: { id }, level, again }) => `${level}${id}${again ? ' again' : ''}`)).toEqual([
      '0a',
      '1b',
      '2d',
      '1c',
      '2d again',
      '0z',
    ]);
  });

  it('lists the edges that are drawn, each once, and no row twice', () => {
    const ids = Array.from({ length: 40 }, (_, n) => `j${n}`);
    const edges = ids.flatMap((to, n) => ids.slice(Math.max(0, n - 3), n).map((from): [string, string] => [from, to]));
    const drawn = graph(
      ids.map((id) => job(id)),
      edges,
    );
    const rows = treeOf(drawn);
    const listed = rows.flatMap(({ job: { id }, under }) => (under === null ? [] : [`${under}>${id}`]));
    expect([...listed].sort()).toEqual(edges.map(([from, to]) => `${from}>${to}`).sort());
    expect(rows.filter(({ again }) => !again)).toHaveLength(ids.length);
  });

  it('lists a chain as long as one likes', () => {
    const ids = Array.from({ length: 5_000 }, (_, n) => `j${n}`);
    const rows = treeOf(
      graph(
        ids.map((id) => job(id)),
        ids.slice(1).map((id, n) => [`j${n}`, id]),
      ),
    );
    expect(rows).toHaveLength(5_000);
    expect(rows.at(-1)).toMatchObject({ level: 4_999 });
  });

  it('draws groups once there are more jobs than can be seen, each way between two of them once', () => {
    const nodes = Array.from({ length: 201 }, (_, n) => job(`j${n}`, { group: n < 100 ? 'a' : 'b' }));
    const edges: [string, string][] = [
      ['j0', 'j100'],
      ['j1', 'j101'],
      ['j0', 'j2'],
      ['j150', 'j3'],
    ];
    expect(clustersOf(graph(nodes.slice(1), edges))).toBeNull();
    expect(clustersOf(graph(nodes, edges))).toEqual({
      groups: [
        { key: 'a', jobs: 100 },
        { key: 'b', jobs: 101 },
      ],
      edges: [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'a' },
      ],
    });
    expect(
      clustersOf(
        graph(
          nodes.map((each) => ({ ...each, group: 'a' })),
          edges,
        ),
      ),
    ).toBeNull();
  });

  it('calls late what should have fired and may', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    const due = { nextFireAt: '2025-12-31T23:59:50Z' };
    expect(isLate(job('a', due), now)).toBe(true);
    expect(isLate(job('a', { ...due, state: 'paused' }), now)).toBe(false);
    expect(isLate(job('a', { nextFireAt: '2025-12-31T23:59:58Z' }), now)).toBe(false);
  });

  it('follows a chain to all that waits, each once and nothing before it', () => {
    const edges = graph(
      [],
      [
        ['a', 'b'],
        ['b', 'c'],
        ['b', 'd'],
        ['c', 'e'],
        ['d', 'e'],
        ['z', 'e'],
      ],
    ).edges;
    expect(chainFrom('b', neighboursOf(edges))).toEqual(['b', 'c', 'd', 'e']);
    expect(chainFrom('e', neighboursOf(edges))).toEqual(['e']);
  });

  it('shows of one flow the newest task of each job', () => {
    const task = (id: string, of: string | null) => ({ id, job: of === null ? null : { id: of, key: of } }) as TaskSummary;
    const flow = flowByJob([task('task_3', 'a'), task('task_1', 'a'), task('task_2', 'b'), task('task_4', null)]);
    expect([...flow].map(([id, each]) => [id, each.id])).toEqual([
      ['a', 'task_3'],
      ['b', 'task_2'],
    ]);
  });
});
