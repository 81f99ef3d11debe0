import { Alert, Button, Checkbox, Modal } from 'antd';
import { useState } from 'react';
import type { CreatedKey } from '../../../../src/admin/contract/keys.js';
import { CopyButton } from '../../components/copy-button';
import { useT } from '../../lib/i18n';

/** The only place a secret is ever shown: hidden until asked for, gone from the page when it closes, and it closes only when told it was kept. */
export function SecretOnce({ made: { key, secret }, close }: { made: CreatedKey; close: () => void }) {
  const t = useT();
  const [shown, setShown] = useState(false);
  const [kept, setKept] = useState(false);
  const [asked, setAsked] = useState(false);
  function download() {
    const names =
      key.kind === 'partner' ? ['EVENKEEL_ACCESS_KEY', 'EVENKEEL_SECRET_KEY'] : ['EVENKEEL_WORKER_KEY', 'EVENKEEL_WORKER_SECRET'];
    const url = URL.createObjectURL(new Blob([`${names[0]}=${key.accessKey}\n${names[1]}=${secret}\n`], { type: 'text/plain' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = `${key.accessKey}.env`;
    link.click();
    URL.revokeObjectURL(url);
  }
  return (
    <Modal
      open
      title={t('keys.secretTitle')}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      onCancel={() => setAsked(true)}
      footer={
        <Button type="primary" disabled={!kept} onClick={close}>
          {t('keys.close')}
        </Button>
      }
    >
      <div className="stack">
        <Alert type="warning" showIcon title={t('keys.secretOnce')} />
        <div className="row">
          <code>{key.accessKey}</code> <CopyButton text={key.accessKey} what={t('keys.key')} />
        </div>
        <div className="row">
          <code data-secret>{shown ? secret : '•'.repeat(24)}</code>
          <Button size="small" onClick={() => setShown(!shown)}>
            {t(shown ? 'keys.hide' : 'keys.reveal')}
          </Button>
          <CopyButton text={secret} what={t('keys.secret')} />
          <Button size="small" onClick={download}>
            {t('keys.download')}
          </Button>
        </div>
        <Checkbox checked={kept} onChange={({ target }) => setKept(target.checked)}>
          {t('keys.kept')}
        </Checkbox>
        {asked && !kept && (
          <span role="alert" className="state-failed">
            {t('keys.tickFirst')}
          </span>
        )}
      </div>
    </Modal>
  );
}
