import { Alert, Button } from 'antd';
import { jsonFaultOf } from '../../../../sdk/src/contract/json-fault';
import type { ImportError } from '../../../../src/admin/contract/transfer.js';
import { type Translate, useT } from '../../lib/i18n';

/** That a text is not JSON and what was expected where it stops being it; null of other faults. */
export function notJsonText({ expected, near }: Pick<ImportError, 'expected' | 'near'>, t: Translate): string | null {
  if (expected === undefined) return null;
  const what = t(`jsonExpected.${expected}`);
  if (near === undefined) return t('transfer.notJson', { what });
  return t(expected === 'value' ? 'transfer.notJsonOf' : 'transfer.notJsonAfter', { what, near });
}

/** The first place where a text stops being JSON. */
export function placeOfFault(text: string): (Required<Pick<ImportError, 'expected'>> & { line: number; column: number }) | null {
  const fault = jsonFaultOf(text);
  if (!fault) return null;
  const before = text.slice(0, fault.offset).split('\n');
  return { expected: fault.expected, line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

/** Said before anything is sent: only JSON is converted. */
export function NotJson({ text, hint, onGo }: { text: string; hint: string; onGo: (line: number, column: number) => void }) {
  const t = useT();
  const fault = placeOfFault(text);
  if (!fault) return null;
  const { line, column } = fault;
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      title={t('convert.notJson')}
      description={
        <div className="stack" style={{ gap: 4, alignItems: 'start' }}>
          <span className="row">
            <Button size="small" type="link" style={{ paddingInline: 0 }} onClick={() => onGo(line, column)}>
              {t('transfer.lineColumn', { line, column })}
            </Button>
            {notJsonText(fault, t)}
          </span>
          <span>{hint}</span>
        </div>
      }
    />
  );
}
