import { Link } from '@tanstack/react-router';
import type { Overview } from '../../../src/admin/contract/overview.js';

/** Where what needs attention can be dealt with. */
export function ConcernLink({ object: { type, id, name } }: Pick<Overview['attention'][number], 'object'>) {
  const page = { group: '/groups', worker: '/workers', job: '/jobs', key: '/keys', endpoint: '/callbacks/endpoints' };
  const to = type === 'partition' ? '/system' : type === 'app' ? '/keys' : `${page[type]}/${encodeURIComponent(id)}`;
  return (
    <Link to={to} title={id}>
      <bdi>{name}</bdi>
    </Link>
  );
}
