import { Link } from '@tanstack/react-router';
import type { Overview } from '../../../src/admin/contract/overview.js';
import { objectPath } from '../lib/object-paths';

/** Where what needs attention can be dealt with. */
export function ConcernLink({ object: { type, id, name } }: Pick<Overview['attention'][number], 'object'>) {
  return (
    <Link to={objectPath(type, id) ?? '/overview'} title={id}>
      <bdi>{name}</bdi>
    </Link>
  );
}
