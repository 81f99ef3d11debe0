import type { BulkItem } from '../../../../src/admin/contract/bulk.js';
import { WrittenText } from '../../components/written-text';
import { useCodeText, useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';

/** Why an item was not acted on. What the server says beyond its code is in English. */
export function ItemWhy({ item: { code, detail } }: { item: Pick<BulkItem, 'code' | 'detail'> }) {
  const t = useT();
  const words = useCodeText();
  const { language } = usePreferences();
  if (code === null) return <WrittenText text={detail} />;
  if ((code === 'already_ended' || code === 'not_retryable') && detail !== null)
    return <>{t(`bulkItem.${code}`, { state: words('state', detail) })}</>;
  const known = ['bulkObstacle', 'problem'].map((prefix) => words(prefix, code)).find((word) => word !== code);
  if (detail !== null && (language === 'en' || known === undefined)) return <WrittenText text={detail} />;
  return <span title={detail ?? undefined}>{known ?? code}</span>;
}
