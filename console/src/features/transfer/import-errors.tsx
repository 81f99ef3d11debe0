import { Alert, Button } from 'antd';
import type { ImportError } from '../../../../src/admin/contract/transfer.js';
import { type Column, DataTable } from '../../components/data-table';
import { faultText } from '../../lib/field-words';
import { useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { notJsonText } from './not-json';

/** None of its members could be looked at. */
const isUnreadable = ({ pointer, code }: ImportError): boolean => pointer === '' && code === 'bad_format';

/** Every fault of the file with its place; nothing is written while there is one. */
export function ImportErrors({ errors, onGo }: { errors: readonly ImportError[]; onGo: (line: number, column: number) => void }) {
  const t = useT();
  const { language } = usePreferences();
  const columns: Column<ImportError>[] = [
    {
      key: 'place',
      title: t('transfer.place'),
      width: 160,
      cell: ({ line, column }) =>
        line === null ? (
          <span className="secondary">–</span>
        ) : (
          <Button size="small" type="link" onClick={() => onGo(line, column ?? 1)}>
            {t('transfer.lineColumn', { line, column: column ?? 1 })}
          </Button>
        ),
    },
    { key: 'where', title: t('transfer.where'), cell: ({ pointer }) => <bdi className="mono">{pointer || '–'}</bdi> },
    {
      key: 'message',
      title: t('transfer.rule'),
      cell: (fault) => (
        <bdi title={fault.message}>
          {notJsonText(fault, t) ?? (fault.rule === 'nowhere' ? t('transfer.nowhere') : faultText(fault, language))}
        </bdi>
      ),
    },
  ];
  return (
    <>
      <Alert
        type="error"
        showIcon
        role="alert"
        title={t(errors.some(isUnreadable) ? 'transfer.unreadable' : 'transfer.errors', { n: errors.length })}
      />
      <DataTable<ImportError>
        label={t('transfer.errorList')}
        columns={columns}
        rows={errors}
        rowId={({ pointer, code, line }) => `${line} ${pointer} ${code}`}
        edge={() => 'failed'}
        empty={null}
      />
    </>
  );
}
