import { Button } from 'antd';
import { memo } from 'react';
import { useT } from '../lib/i18n';

/** Pages of a list without numbers: the first one, and the next one. Going back is the browser's Back. */
export const CursorPager = memo(function CursorPager({
  cursor,
  next,
  onGo,
  sort,
}: {
  cursor: string | undefined;
  next: string | null | undefined;
  onGo: (cursor: string | undefined) => void;
  /** The order of the list, if it is not newest first. */
  sort?: string;
}) {
  const t = useT();
  if (cursor === undefined && !next) return null;
  return (
    <nav className="row" aria-label={t('table.pages')}>
      <Button disabled={cursor === undefined} onClick={() => onGo(undefined)}>
        {t(sort === undefined ? 'table.first' : 'table.firstPage')}
      </Button>
      <Button disabled={!next} onClick={() => next && onGo(next)}>
        {t(sort === undefined ? 'table.older' : 'table.next')}
      </Button>
    </nav>
  );
});
