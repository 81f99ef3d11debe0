import { Graph, layout } from '@dagrejs/dagre';
import type { GraphEdge } from './graph-model';

export const NODE = { width: 208, height: 56 };
/** Of an edge, in pixels: what is free on both sides of its label together, how wide the label is taken to be at least, and how high. */
const BESIDE_LABEL = 36;
const SHORTEST = 40;
const LABEL_HEIGHT = 12;
export interface Place {
  x: number;
  y: number;
}

/** Layers from left to right: whoever waits stands to the right of all it waits for. Upper left corners. */
export function placesOf(ids: readonly string[], edges: readonly (GraphEdge & { label?: string })[]): ReadonlyMap<string, Place> {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 20, ranksep: BESIDE_LABEL });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of ids) graph.setNode(id, { ...NODE });
  // Each gap is as wide as its own labels need, not as the widest of all.
  for (const { from, to, label = '' } of edges)
    graph.setEdge(from, to, { width: Math.max(SHORTEST, widthOf(label)), height: LABEL_HEIGHT, labelpos: 'c' });
  layout(graph);
  return new Map(
    ids.map((id) => {
      const { x, y } = graph.node(id) as Place;
      return [id, { x: x - NODE.width / 2, y: y - NODE.height / 2 }];
    }),
  );
}

/** Of a label of 12 px: a Chinese character is as wide as it is high, another a little more than half. */
const widthOf = (text: string): number => [...text].reduce((width, each) => width + (each > '\u2e80' ? 12 : 6.6), 0);

/** Where an arrow key leads: along an edge to the nearest, or to the next in the same layer. */
export function stepFrom(
  id: string,
  key: string,
  places: ReadonlyMap<string, Place>,
  edges: readonly GraphEdge[],
): string | undefined {
  const here = places.get(id);
  if (!here) return undefined;
  const nearest = (ids: readonly string[]): string | undefined =>
    [...ids].sort((a, b) => distance(places.get(a), here) - distance(places.get(b), here))[0];
  const layer = [...places].filter(([, { x }]) => x === here.x).sort(([, a], [, b]) => a.y - b.y);
  const at = layer.findIndex(([other]) => other === id);
  switch (key) {
    case 'ArrowRight':
      return nearest(edges.filter(({ from }) => from === id).map(({ to }) => to));
    case 'ArrowLeft':
      return nearest(edges.filter(({ to }) => to === id).map(({ from }) => from));
    case 'ArrowDown':
      return layer[at + 1]?.[0];
    case 'ArrowUp':
      return layer[at - 1]?.[0];
    case 'Home':
      return firstOf(places);
    default:
      return undefined;
  }
}

const distance = (place: Place | undefined, from: Place): number => Math.abs((place?.y ?? 0) - from.y);

/** The topmost of the first layer. */
export const firstOf = (places: ReadonlyMap<string, Place>): string | undefined =>
  [...places].sort(([, a], [, b]) => a.x - b.x || a.y - b.y)[0]?.[0];
