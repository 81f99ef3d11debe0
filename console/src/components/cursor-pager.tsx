import { Button } from 'antd';
import { memo } from 'react';
import { useT } from '../lib/i18n';

/** Pages of a list without numbers: the first one, and the next older one. Going back is the browser's Back. */
export const CursorPager = memo(function CursorPager({
  cursor,
  next,
  onGo,
}: {
  cursor: string | undefined;
  next: string | null | undefined;
  onGo: (cursor: string | undefined) => void;
}) {
  const t = useT();
  return (
    <nav className="row" aria-label={t('table.pages')}>
      <Button disabled={cursor === undefined} onClick={() => onGo(undefined)}>
        {t('table.first')}
      </Button>
      <Button disabled={!next} onClick={() => next && onGo(next)}>
        {t('table.older')}
      </Button>
    </nav>
  );
});
