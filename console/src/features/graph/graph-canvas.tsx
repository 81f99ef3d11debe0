import {
  Controls,
  type Edge,
  MarkerType,
  MiniMap,
  type Node,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Viewport,
} from '@xyflow/react';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import '@xyflow/react/dist/style.css';
import { useT } from '../../lib/i18n';
import type { GraphEdge } from './graph-model';
import { GraphNode, type NodeData } from './graph-node';
import { firstOf, NODE, placesOf, stepFrom } from './layout';

export type Drawn = Pick<NodeData, 'title' | 'detail' | 'family' | 'late' | 'more' | 'mark' | 'faint' | 'onOpen'> & {
  id: string;
};
export interface CanvasProps {
  label: string;
  /** What is looked at: where one had panned to is remembered by it, and only a new one is fitted into the frame. */
  scope: string;
  nodes: readonly Drawn[];
  edges: readonly (GraphEdge & { label?: string })[];
}

const NODE_TYPES = { job: GraphNode };
/** From here on one easily loses sight of the whole. */
const MANY = 16;
const seen = new Map<string, Viewport>();

export function GraphCanvas(props: CanvasProps) {
  return (
    <ReactFlowProvider key={props.scope}>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

/** Nothing moves by itself: places follow from which job waits for which, and the frame only from the person. */
function Canvas({ label, scope, nodes, edges }: CanvasProps) {
  const t = useT();
  const frame = useRef<HTMLElement>(null);
  const flow = useReactFlow();
  const [stop, setStop] = useState<string | undefined>(undefined);
  const shape = JSON.stringify([nodes.map(({ id }) => id), edges.map(({ from, to }) => [from, to])]);
  // Of nodes and edges only what the shape says decides places, so figures that change move nothing.
  const places = useMemo(
    () =>
      placesOf(
        nodes.map(({ id }) => id),
        edges,
      ),
    [shape],
  );
  const tabStop = stop !== undefined && places.has(stop) ? stop : firstOf(places);

  function step(id: string, event: KeyboardEvent<HTMLElement>) {
    const next = stepFrom(id, event.key, places, edges);
    if (next === undefined) return;
    event.preventDefault();
    frame.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(next)}"]`)?.focus({ preventScroll: true });
  }
  function reach(id: string) {
    setStop(id);
    const [place, size] = [places.get(id), frame.current?.getBoundingClientRect()];
    if (!place || !size) return;
    const { x, y, zoom } = flow.getViewport();
    const [left, top] = [place.x * zoom + x, place.y * zoom + y];
    const inside = left >= 0 && top >= 0 && left + NODE.width * zoom <= size.width && top + NODE.height * zoom <= size.height;
    if (!inside) void flow.setCenter(place.x + NODE.width / 2, place.y + NODE.height / 2, { zoom });
  }

  const drawn: Node<NodeData>[] = nodes.map(({ id, ...data }) => ({
    id,
    type: 'job',
    position: places.get(id) ?? { x: 0, y: 0 },
    width: NODE.width,
    height: NODE.height,
    data: {
      ...data,
      isStop: id === tabStop,
      onStep: (event: KeyboardEvent<HTMLElement>) => step(id, event),
      onReach: () => reach(id),
    } as NodeData,
  }));
  const lines: Edge[] = edges.map(({ from, to, label: text }) => ({
    id: `${from} ${to}`,
    source: from,
    target: to,
    label: text,
    markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--text-secondary)' },
  }));
  const remembered = seen.get(scope);
  return (
    <section className="graph-frame" ref={frame} aria-label={label} aria-describedby="graph-keys">
      <p id="graph-keys" className="visually-hidden">
        {t('graph.keys')}
      </p>
      <ReactFlow
        nodes={drawn}
        edges={lines}
        nodeTypes={NODE_TYPES}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        minZoom={0.1}
        fitView={remembered === undefined}
        fitViewOptions={{ maxZoom: 1, minZoom: 0.6, padding: 0.04 }}
        defaultViewport={remembered}
        onMoveEnd={(_, viewport) => seen.set(scope, viewport)}
      >
        <Controls showInteractive={false} aria-label={t('graph.zoom')} />
        {nodes.length > MANY && <MiniMap pannable ariaLabel={t('graph.miniMap')} nodeColor="var(--text-secondary)" />}
      </ReactFlow>
    </section>
  );
}
