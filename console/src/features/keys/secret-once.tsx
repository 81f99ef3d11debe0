import { Button } from 'antd';
import type { CreatedKey } from '../../../../src/admin/contract/keys.js';
import { CopyButton } from '../../components/copy-button';
import { OneTimeSecret } from '../../components/one-time-secret';
import { useT } from '../../lib/i18n';

/** The secret of a key that was just made, with the key and both as a file. */
export function SecretOnce({ made: { key, secret }, close }: { made: CreatedKey; close: () => void }) {
  const t = useT();
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
    <OneTimeSecret
      title={t('keys.secretTitle')}
      secret={secret}
      what={t('keys.secret')}
      head={
        <div className="row">
          <code>{key.accessKey}</code> <CopyButton text={key.accessKey} what={t('keys.key')} />
        </div>
      }
      tools={
        <Button size="small" onClick={download}>
          {t('keys.download')}
        </Button>
      }
      close={close}
    />
  );
}
