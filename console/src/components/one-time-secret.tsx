import { Alert, Button, Checkbox } from 'antd';
import { type ReactNode, useState } from 'react';
import { useT } from '../lib/i18n';
import { CopyButton } from './copy-button';
import { Dialog } from './dialog';

interface OneTimeSecretProps {
  title: string;
  secret: string;
  /** What is copied, in words. */
  what?: string;
  note?: string;
  /** What the secret belongs to. */
  head?: ReactNode;
  /** More ways to keep it. */
  tools?: ReactNode;
  close: () => void;
}

/** The only place a secret is ever shown: hidden until asked for, gone from the page when it closes, and it closes only when told it was kept. */
export function OneTimeSecret({ title, secret, what = title, note, head, tools, close }: OneTimeSecretProps) {
  const t = useT();
  const [revealed, setRevealed] = useState(false);
  const [kept, setKept] = useState(false);
  const [asked, setAsked] = useState(false);
  return (
    <Dialog
      title={title}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      onCancel={() => setAsked(true)}
      footer={
        <Button type="primary" disabled={!kept} title={kept ? undefined : t('secret.tickFirst')} onClick={close}>
          {t('secret.close')}
        </Button>
      }
    >
      <div className="stack">
        <Alert type="warning" showIcon title={t('secret.once')} description={note} />
        {head}
        <div className="row">
          <code data-secret style={{ wordBreak: 'break-all' }}>
            {revealed ? secret : '•'.repeat(24)}
          </code>
          <Button size="small" onClick={() => setRevealed(!revealed)}>
            {t(revealed ? 'secret.hide' : 'secret.reveal')}
          </Button>
          <CopyButton text={secret} what={what} />
          {tools}
        </div>
        <Checkbox checked={kept} onChange={({ target }) => setKept(target.checked)}>
          {t('secret.kept')}
        </Checkbox>
        {asked && !kept && (
          <span role="alert" className="state-failed">
            {t('secret.tickFirst')}
          </span>
        )}
      </div>
    </Dialog>
  );
}
