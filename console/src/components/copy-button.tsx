import { memo, useState } from 'react';
import { copyText } from '../lib/clipboard';
import { useT } from '../lib/i18n';
import './copy-button.css';

const SHEETS = (
  <path d="M5.5 4.5v-3h8v9h-3M2.5 4.5h8v10h-8z" fill="none" stroke="currentColor" strokeWidth="1.2" strokeLinejoin="round" />
);
const TICK = <path d="M2.5 8.5l3.5 3.5 7.5-8" fill="none" stroke="currentColor" strokeWidth="1.6" />;

/** A plain button: it stands in every row of lists that are drawn again while they are looked at. */
export const CopyButton = memo(function CopyButton({ text, what }: { text: string; what?: string }) {
  const t = useT();
  const [done, setDone] = useState(false);
  const label = done ? t('action.copied') : t('action.copy', { what: what ?? '' }).trim();
  return (
    <button
      type="button"
      className="copy-button"
      aria-label={label}
      title={label}
      onClick={async (event) => {
        event.stopPropagation();
        setDone(await copyText(text));
        setTimeout(() => setDone(false), 1_500);
      }}
    >
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        {done ? TICK : SHEETS}
      </svg>
    </button>
  );
});
