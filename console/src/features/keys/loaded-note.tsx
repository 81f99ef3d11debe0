import { Alert } from 'antd';
import type { RejectedRequest } from '../../../../src/admin/contract/keys.js';
import { Instant } from '../../components/instant';
import { useCodeText, useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { rejectionText } from './rejection-words';

/** Why the request in the tester was refused, and what of it nobody has kept. */
export function LoadedNote({ rejected }: { rejected: RejectedRequest }) {
  const t = useT();
  const code = useCodeText();
  const { language } = usePreferences();
  const { at, code: why, address, node, bodyBytes: bytes, bodyDigest: digest, signature } = rejected;
  return (
    <Alert
      type="warning"
      showIcon
      title={
        <span className="row" style={{ gap: 4 }}>
          {t('tester.loaded', { why: code('rejection', why) })} <Instant at={at} />
        </span>
      }
      description={
        <div className="stack loaded-note">
          <bdi title={rejected.detail}>{rejectionText(rejected, language)}</bdi>
          <span>{t('tester.loadedFrom', { address, node })}</span>
          <span>{digest === null ? t('tester.loadedNoBody', { bytes }) : t('tester.loadedBody', { bytes, digest })}</span>
          <span>{t(signature === null ? 'tester.loadedUnsigned' : 'tester.loadedSecret')}</span>
        </div>
      }
    />
  );
}
