import { Button, Popover } from 'antd';
import { useId, useState } from 'react';
import { useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { browserZone } from '../../lib/times';
import { instantOfWallTime } from '../../lib/wall-time';
import { canJump, jumpTo } from './jump';
import type { TaskSearch } from './search';

/** To the page of the list that begins at an instant; instants are of the zone shown everywhere. */
export function JumpToTime({ search, onChange }: { search: TaskSearch; onChange: (change: Partial<TaskSearch>) => void }) {
  const t = useT();
  const id = useId();
  const { zone } = usePreferences();
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const at = instantOfWallTime(text, zone);
  const why = canJump(search) ? null : t('tasks.jumpSorted');
  const form = (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (at === null) return;
        setOpen(false);
        onChange(jumpTo(search, at));
      }}
    >
      <label htmlFor={id}>{t('tasks.jumpAt', { zone: zone ?? browserZone() })}</label>
      <input
        id={id}
        type="datetime-local"
        className="native-input"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Button htmlType="submit" type="primary" disabled={at === null}>
        {t('tasks.jumpGo')}
      </Button>
    </form>
  );
  return (
    <Popover trigger="click" open={open && why === null} onOpenChange={setOpen} content={form} destroyOnHidden>
      <Button
        size="small"
        aria-disabled={why !== null}
        className={why === null ? undefined : 'is-disabled'}
        title={why ?? undefined}
        aria-label={[t('tasks.jump'), why].filter(Boolean).join(' – ')}
      >
        {t('tasks.jump')}
      </Button>
    </Popover>
  );
}
