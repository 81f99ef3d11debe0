import { Link } from '@tanstack/react-router';
import type { Overview } from '../../../src/admin/contract/overview.js';
import { marksShown } from '../lib/direction-marks';
import { useT } from '../lib/i18n';
import { objectPath } from '../lib/object-paths';
import { listAddress } from './list-address';

type Concern = Pick<Overview['attention'][number], 'object' | 'list'>;

/** What it is about, in words: what somebody wrote with its direction marks shown. */
export function useConcernName(): (concern: Concern) => string {
  const t = useT();
  return ({ object: { type, name }, list }) =>
    list && (type === 'tasks' || type === 'jobs')
      ? t(`attention.listed.${type}`, { n: list.capped ? `${list.count}+` : list.count })
      : marksShown(name);
}

/** Where what needs attention can be dealt with. */
export function ConcernLink({ object, list }: Concern) {
  const { type, id } = object;
  const name = useConcernName()({ object, list });
  if (list && (type === 'tasks' || type === 'jobs')) return <Link {...listAddress(`/${type}`, list)}>{name}</Link>;
  return (
    <Link to={objectPath(type, id) ?? '/overview'} title={id}>
      <bdi>{name}</bdi>
    </Link>
  );
}
