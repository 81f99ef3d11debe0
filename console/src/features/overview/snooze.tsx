import { Button, Dropdown } from 'antd';
import { useT } from '../../lib/i18n';
import { preferences, setPreferences } from '../../lib/preferences';

const HOUR = 3_600_000;
const SPANS = { '1h': HOUR, '1d': 24 * HOUR } as const;

/** Not to be shown to this person for a while; it stays what it is for everybody else. */
export function SnoozeButton({ id, what }: { id: string; what: string }) {
  const t = useT();
  return (
    <Dropdown
      trigger={['click']}
      menu={{
        items: (Object.keys(SPANS) as (keyof typeof SPANS)[]).map((key) => ({ key, label: t(`snooze.${key}`) })),
        onClick: ({ key }) => snooze(id, SPANS[key as keyof typeof SPANS]),
      }}
    >
      <Button type="text" size="small" aria-label={`${t('snooze.title')} – ${what}`}>
        {t('snooze.title')}
      </Button>
    </Dropdown>
  );
}

function snooze(id: string, ms: number): void {
  const now = Date.now();
  const kept = Object.entries(preferences().snoozed).filter(([, until]) => until > now);
  setPreferences({ snoozed: { ...Object.fromEntries(kept), [id]: now + ms } });
}

export const wakeAll = (): void => setPreferences({ snoozed: {} });
