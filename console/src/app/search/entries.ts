import type { SearchAnswer } from '../../../../src/admin/contract/overview.js';
import { api, segment } from '../../api/client';
import type { Action } from '../../components/action';
import type { Translate } from '../../lib/i18n';
import { objectPath } from '../../lib/object-paths';
import { NAV } from '../nav';
import type { Place } from './recent';

type Hit = SearchAnswer['hits'][number];
/** A line of the search: a place to go to, or something to do. */
export type Entry = { key: string; place: Place } | { key: string; action: Action };

export const placeOf = ({ type, id, name, group }: Hit): Place => ({
  type,
  id,
  name,
  group,
  to: objectPath(type, id) ?? '/overview',
});

/** Pages whose name holds the text. */
export function pagesLike(text: string, t: Translate, seen: (permission: (typeof NAV)[0]['items'][0]['permission']) => boolean) {
  const sought = text.trim().toLowerCase();
  return NAV.flatMap(({ items }) => items)
    .filter(({ label, permission }) => seen(permission) && t(label).toLowerCase().includes(sought))
    .map(({ to, label }): Place => ({ type: 'page', id: to, name: t(label), group: null, to }));
}

/** What can be done at once with what was found; the server has said what of it is allowed. */
export function actionsOn(hit: Hit, t: Translate): Action[] {
  const { id, name, state, group } = hit;
  const may = new Set(hit.permissions);
  const common = { group, object: name, done: t('search.done') };
  const post = (path: string) => (reason: string | undefined) => api.post(path, { reason });
  const actions: Action[] = [];
  if (may.has('jobs.run')) {
    const run = post(`jobs/${segment(id)}/trigger`);
    actions.push({ ...common, permission: 'jobs.run', label: t('search.act.run', { name }), confirm: 'dialog', run });
  }
  if (may.has('jobs.pause')) {
    const verb = state === 'active' ? 'pause' : 'resume';
    const run = post(`jobs/${segment(id)}/${verb}`);
    actions.push({ ...common, permission: 'jobs.pause', label: t(`search.act.${verb}`, { name }), confirm: 'dialog', run });
  }
  if (may.has('workers.drain')) {
    const verb = state === 'draining' || state === 'drained' ? 'undrain' : 'drain';
    const run = post(`workers/${segment(id)}/${verb}`);
    actions.push({ ...common, permission: 'workers.drain', label: t(`search.act.${verb}`, { name }), confirm: 'dialog', run });
  }
  if (may.has('tasks.cancel')) {
    const run = post(`tasks/${segment(id)}/cancel`);
    const label = t('search.act.cancel', { name });
    actions.push({ ...common, permission: 'tasks.cancel', label, confirm: 'dialog', danger: true, run });
  }
  return actions;
}
