import { App, Button } from 'antd';
import { type ReactNode, useRef, useState } from 'react';
import { useT } from '../../lib/i18n';

/** What the server takes of one file, and room for what makes its text a JSON string. */
const MOST_BYTES = 14_000_000;

/** Takes the text of a file that is chosen, or dropped onto what it surrounds. */
export function FilePicker({
  onText,
  what,
  children,
}: {
  onText: (text: string) => void;
  /** Of which file, where a page takes several. */
  what?: string;
  children: ReactNode;
}) {
  const t = useT();
  const { message } = App.useApp();
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const name = [t('transfer.choose'), what].filter(Boolean).join(' – ');
  async function take(file: File | undefined) {
    if (!file) return;
    if (file.size > MOST_BYTES) message.error(t('transfer.tooLarge', { n: MOST_BYTES }), 8);
    else onText(await file.text());
  }
  return (
    <section
      aria-label={what ?? t('transfer.file')}
      className="stack transfer-drop transfer-text"
      data-over={over}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void take(event.dataTransfer.files[0]);
      }}
    >
      <div className="row">
        <Button aria-label={what && name} onClick={() => input.current?.click()}>
          {t('transfer.choose')}
        </Button>
        <span className="secondary">{t('transfer.orDrop')}</span>
        <input
          ref={input}
          type="file"
          hidden
          accept=".json,.yaml,.yml,application/json,application/yaml"
          aria-label={name}
          onChange={({ target }) => {
            void take(target.files?.[0]);
            target.value = '';
          }}
        />
      </div>
      {children}
    </section>
  );
}
