import type { JobGraph } from '../../../../src/admin/contract/jobs.js';
import { useCodeText, useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { instantText } from '../../lib/times';
import { type Drawn, GraphCanvas } from './graph-canvas';
import { clustersOf, conditionOf, type GraphJob, isLate, neighboursOf } from './graph-model';
import { familyOf } from './graph-node';
import type { GraphSearch } from './graph-search';

/** Jobs, or groups where there are too many jobs, as the canvas draws them. */
export default function GraphPicture({
  graph,
  search,
  onChange,
}: {
  graph: JobGraph;
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
      return { id: key, title: key, detail, family: null, late: false, mark: undefined, more: '', onOpen };
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
  const nodes = graph.nodes.map((job): Drawn => {
    const last = job.last ? code('state', job.last.state) : t('graph.neverRan');
    const around = t('graph.around', { up: up.get(job.id)?.length ?? 0, down: down.get(job.id)?.length ?? 0 });
    return {
      id: job.id,
      title: job.key,
      detail: [last, ...(isLate(job) ? [t('state.late')] : []), nextOf(job)].join(' · '),
      family: familyOf(job),
      late: isLate(job),
      mark: job.id === search.job ? 'chosen' : job.id === search.focus ? 'focus' : undefined,
      more: `${job.group} · ${around}`,
      onOpen: () => onChange({ job: job.id }, true),
    };
  });
  const edges = graph.edges.map((edge) => ({ ...edge, label: code('condition', conditionOf(jobs.get(edge.to))) }));
  return <GraphCanvas label={t('nav.graph')} scope={scope} nodes={nodes} edges={edges} />;
}
