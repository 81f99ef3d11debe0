import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import type { KeyboardEvent } from 'react';
import { FAMILY_OF, type StateFamily, StateIcon } from '../../components/state-tag';
import { type GraphJob, isLate } from './graph-model';

export interface NodeData extends Record<string, unknown> {
  title: string;
  /** Second line. */
  detail: string;
  family: StateFamily | null;
  late: boolean;
  /** Read out behind what is drawn. */
  more: string;
  mark: 'focus' | 'chosen' | undefined;
  /** Beside what is asked about. */
  faint: boolean;
  /** The one node Tab comes to; arrows go on from there. */
  isStop: boolean;
  onOpen: () => void;
  onStep: (event: KeyboardEvent<HTMLElement>) => void;
  onReach: () => void;
}

export const familyOf = (job: GraphJob): StateFamily | null => {
  if (job.state !== 'active') return 'skipped';
  if (isLate(job)) return 'late';
  return job.last ? FAMILY_OF[job.last.state] : null;
};

export function GraphNode({ id, data }: NodeProps<Node<NodeData>>) {
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <button
        type="button"
        className="graph-node nodrag nopan"
        data-node={id}
        data-mark={data.mark}
        data-late={data.late}
        data-faint={data.faint}
        tabIndex={data.isStop ? 0 : -1}
        onClick={data.onOpen}
        onKeyDown={data.onStep}
        onFocus={data.onReach}
      >
        <span className="graph-node-title">
          {data.family && <StateIcon family={data.family} />}
          <bdi>{data.title}</bdi>
        </span>
        <span className="graph-node-detail">{data.detail}</span>
        <span className="visually-hidden">{data.more}</span>
      </button>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
}
