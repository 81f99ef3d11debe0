import { Link } from '@tanstack/react-router';
import { CopyButton } from './copy-button';

/** The last eight characters of an id, whole on hover and copy. */
export function ShortId({ id, to }: { id: string; to?: string }) {
  const text = id.slice(-8);
  return (
    <span className="row" style={{ gap: 0, flexWrap: 'nowrap' }}>
      {to ? (
        <Link className="mono" to={to} title={id}>
          {text}
        </Link>
      ) : (
        <span className="mono" title={id}>
          {text}
        </span>
      )}
      <CopyButton text={id} what={id} />
    </span>
  );
}
