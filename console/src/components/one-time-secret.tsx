import { Alert, Button, Checkbox, Modal } from 'antd';
import { useState } from 'react';
import { useT } from '../lib/i18n';
import { useReturnFocus } from '../lib/return-focus';
import { CopyButton } from './copy-button';

/** A secret of something that has others beside it: hidden until asked for, and the dialog stays until told that it was kept. */
export function OneTimeSecret({
  title,
  secret,
  note,
  close,
}: {
  title: string;
  secret: string;
  note: string;
  close: () => void;
}) {
  const t = useT();
  useReturnFocus();
  const [revealed, setRevealed] = useState(false);
  const [kept, setKept] = useState(false);
  return (
    <Modal
      open
      title={title}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      footer={
        <Button type="primary" disabled={!kept} title={kept ? undefined : t('secret.tickFirst')} onClick={close}>
          {t('secret.close')}
        </Button>
      }
    >
      <div className="stack">
        <Alert type="warning" showIcon title={t('secret.once')} description={note} />
        <div className="row">
          <code data-secret style={{ wordBreak: 'break-all' }}>
            {revealed ? secret : '•'.repeat(24)}
          </code>
          <Button size="small" onClick={() => setRevealed(!revealed)}>
            {t(revealed ? 'secret.hide' : 'secret.reveal')}
          </Button>
          <CopyButton text={secret} what={title} />
        </div>
        <Checkbox checked={kept} onChange={({ target }) => setKept(target.checked)}>
          {t('secret.kept')}
        </Checkbox>
      </div>
    </Modal>
  );
}
