import fc from 'fast-check';
import { circleThrough } from '../../src/decisions/dependency-graph.js';

const graph = (edges: Record<string, string[]>) => new Map(Object.entries(edges));

describe('the circle an edge would close', () => {
  it.each([
    ['a job that waits for itself', 'a', ['a'], {}, ['a', 'a']],
    ['two that wait for each other', 'a', ['b'], { b: ['a'] }, ['a', 'b', 'a']],
    ['the shortest way round', 'a', ['b', 'c'], { b: ['d'], d: ['a'], c: ['a'] }, ['a', 'c', 'a']],
    ['a circle elsewhere is none of its own', 'a', ['b'], { b: ['c'], c: ['b'] }, null],
    ['a diamond is no circle', 'd', ['b', 'c'], { b: ['a'], c: ['a'] }, null],
  ] as const)('%s', (_, id, upstreams, edges, expected) => {
    expect(circleThrough(id, upstreams, graph(edges as never))).toEqual(expected);
  });

  it('is a way along the edges from the job to itself, and there is one exactly if the job can reach itself', () => {
    const node = fc.integer({ min: 0, max: 7 }).map(String);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(node, node), { maxLength: 20 }),
        node,
        fc.array(node, { maxLength: 4 }),
        (pairs, id, upstreams) => {
          const edges = new Map<string, string[]>();
          for (const [from, to] of pairs) if (from !== id) edges.set(from, [...(edges.get(from) ?? []), to]);
          const circle = circleThrough(id, upstreams, edges);
          edges.set(id, upstreams);
          const reached = new Set<string>(upstreams);
          for (const at of reached) for (const next of edges.get(at) ?? []) reached.add(next);
          expect(circle !== null).toBe(reached.has(id));
          if (circle === null) return;
          expect([circle[0], circle.at(-1)]).toEqual([id, id]);
          for (let i = 1; i < circle.length; i++) expect(edges.get(circle[i - 1] as string)).toContain(circle[i]);
          expect(new Set(circle).size).toBe(circle.length - 1);
        },
      ),
    );
  });

  it('is found in a graph of a thousand jobs in a row and two thousand edges', () => {
    const edges = new Map(Array.from({ length: 1_000 }, (_, i) => [`${i}`, [`${i + 1}`, `${Math.min(1_000, i + 2)}`]]));
    expect(circleThrough('1000', ['0'], edges)?.length).toBe(502);
    expect(circleThrough('new', ['0'], edges)).toBeNull();
  });
});
