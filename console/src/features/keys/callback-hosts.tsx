import { useT } from '../../lib/i18n';

/** Where results of a partner may be sent; none is a word, and no name of a host. */
export function CallbackHosts({ hosts }: { hosts: readonly string[] }) {
  const t = useT();
  return hosts.length > 0 ? <code>{hosts.join(', ')}</code> : <span className="secondary">{t('keys.noHosts')}</span>;
}
