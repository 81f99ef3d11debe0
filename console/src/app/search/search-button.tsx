import { SearchOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useState } from 'react';
import type { Action } from '../../components/action';
import { ActionDialog } from '../../components/action';
import { useT } from '../../lib/i18n';
import { SearchDialog } from './search-dialog';
import './search.css';

const KEYS = /mac/i.test(navigator.platform) ? '⌘K' : 'Ctrl K';

/** `Ctrl K` from anywhere, also from inside a field: find an object, go there, or do something with it. */
export function SearchButton() {
  const t = useT();
  const [open, setOpen] = useState(false);
  const [action, setAction] = useState<Action | null>(null);
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      // A dialog that asks for something is not covered by another.
      if (!document.querySelector('[role=dialog]')) setOpen(true);
    };
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
  return (
    <>
      <Button
        className="search-button"
        title={t('search.open')}
        aria-keyshortcuts="Control+K Meta+K"
        icon={
          <span aria-hidden="true">
            <SearchOutlined />
          </span>
        }
        onClick={() => setOpen(true)}
      >
        <span className="search-label">{t('search.open')}</span>
        <kbd>{KEYS}</kbd>
      </Button>
      {open && <SearchDialog close={() => setOpen(false)} act={setAction} />}
      {action && <ActionDialog action={action} close={() => setAction(null)} />}
    </>
  );
}
