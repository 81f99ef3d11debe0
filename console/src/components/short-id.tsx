import { memo } from 'react';
import { CopyButton } from './copy-button';
import { type PageOfOne, RowLink } from './row-link';

/** The last eight characters of an id, whole on hover and copy. */
export const ShortId = memo(function ShortId({ id, to }: { id: string; to?: PageOfOne }) {
  const text = id.slice(-8);
  return (
    <span className="row" style={{ gap: 0, flexWrap: 'nowrap' }}>
      {to ? (
        <RowLink className="mono" to={to} id={id} text={text} title={id} />
      ) : (
        <span className="mono" title={id}>
          {text}
        </span>
      )}
      <CopyButton text={id} what={id} />
    </span>
  );
});
