import { Button } from 'antd';
import { useRef } from 'react';
import { useT } from '../../lib/i18n';
import type { BodyFile } from './signature-check';

/** A body as its file has it, byte for byte. It is read in this page and sent nowhere. */
export function BodyFileChoice({
  file,
  onChange,
}: {
  file: BodyFile | undefined;
  onChange: (file: BodyFile | undefined) => void;
}) {
  const t = useT();
  const input = useRef<HTMLInputElement>(null);
  async function take(chosen: File | undefined) {
    if (chosen) onChange({ name: chosen.name, bytes: new Uint8Array(await chosen.arrayBuffer()) });
  }
  return (
    <div className="row">
      <Button size="small" onClick={() => input.current?.click()}>
        {t('tester.file')}
      </Button>
      <input
        ref={input}
        type="file"
        // A form shows fields of files whatever `hidden` says.
        style={{ display: 'none' }}
        aria-label={t('tester.file')}
        onChange={({ target }) => {
          void take(target.files?.[0]);
          target.value = '';
        }}
      />
      {file && (
        <>
          <span role="status">
            <bdi>{file.name}</bdi>: {t('tester.fileBytes', { n: file.bytes.length })}
          </span>
          <Button size="small" type="link" onClick={() => onChange(undefined)}>
            {t('tester.noFile')}
          </Button>
        </>
      )}
    </div>
  );
}
