import type { JobGraph } from '../../../../src/admin/contract/jobs.js';
import type { TaskSummary } from '../../../../src/admin/contract/tasks.js';
import { FAMILY_OF } from '../../components/state-tag';
import { type Translate, useCodeText, useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { durationText, instantText } from '../../lib/times';
import { type Drawn, GraphCanvas } from './graph-canvas';
import { clustersOf, conditionOf, type GraphJob, isLate, neighboursOf } from './graph-model';
import { familyOf } from './graph-node';
import type { GraphSearch } from './graph-search';

/** Jobs, or groups where there are too many jobs, as the canvas draws them. */
export default function GraphPicture({
  graph,
  flow,
  search,
  onChange,
}: {
  graph: JobGraph;
  /** Tasks of the flow that is drawn, by their jobs; absent: each job's latest. */
  flow: ReadonlyMap<string, TaskSummary> | undefined;
  search: GraphSearch;
  onChange: (change: Partial<GraphSearch>, replace?: boolean) => void;
}) {
  const t = useT();
  const code = useCodeText();
  const { zone } = usePreferences();
  const scope = JSON.stringify([search.group, search.focus, search.depth]);
  const clusters = search.focus === undefined ? clustersOf(graph) : null;
  if (clusters) {
    const groups = clusters.groups.map(({ key, jobs }): Drawn => {
      const detail = t('graph.count', { n: jobs });
      const onOpen = () => onChange({ group: [key] });
      return { id: key, title: key, detail, family: null, late: false, mark: undefined, faint: false, more: '', onOpen };
    });
    return <GraphCanvas label={t('graph.ofGroups')} scope={`groups ${scope}`} nodes={groups} edges={clusters.edges} />;
  }
  const { up, down } = neighboursOf(graph.edges);
  const jobs = new Map(graph.nodes.map((job) => [job.id, job]));
  const nextOf = (job: GraphJob) => {
    if (job.state !== 'active') return code('graphState', job.state);
    return job.nextFireAt === null
      ? code('graphKind', job.kind)
      : t('graph.nextAt', { at: instantText(Date.parse(job.nextFireAt), zone) });
  };
  const looksOf = (job: GraphJob): Pick<Drawn, 'detail' | 'family' | 'late' | 'faint'> => {
    const late = (is: boolean) => (is ? [t('state.late')] : []);
    if (flow) {
      const task = flow.get(job.id);
      if (!task) return { detail: t('graph.notInFlow'), family: null, late: false, faint: true };
      const detail = [code('state', task.state), ...late(task.late), ...tookOf(task, t)].join(' · ');
      return { detail, family: task.late ? 'late' : FAMILY_OF[task.state], late: task.late, faint: false };
    }
    const last = job.last ? code('state', job.last.state) : t('graph.neverRan');
    const detail = [last, ...late(isLate(job)), nextOf(job)].join(' · ');
    return { detail, family: familyOf(job), late: isLate(job), faint: false };
  };
  const nodes = graph.nodes.map((job): Drawn => {
    const around = t('graph.around', { up: up.get(job.id)?.length ?? 0, down: down.get(job.id)?.length ?? 0 });
    return {
      ...looksOf(job),
      id: job.id,
      title: job.key,
      mark: job.id === search.job ? 'chosen' : job.id === search.focus ? 'focus' : undefined,
      more: `${job.group} · ${around}`,
      onOpen: () => onChange({ job: job.id }, true),
    };
  });
  const edges = graph.edges.map((edge) => ({ ...edge, label: t(`graph.edge.${conditionOf(jobs.get(edge.to))}`) }));
  return <GraphCanvas label={t('nav.graph')} scope={scope} nodes={nodes} edges={edges} />;
}

const tookOf = ({ startedAt, finishedAt }: TaskSummary, t: Translate): string[] =>
  startedAt && finishedAt ? [durationText(Date.parse(finishedAt) - Date.parse(startedAt), t)] : [];
