import { Button } from 'antd';
import { useState } from 'react';
import { marksEscaped } from '../lib/direction-marks';
import { useT } from '../lib/i18n';
import { indentJson } from '../lib/json-text';
import { CopyButton } from './copy-button';

const SHOWN = 20_000;

/** JSON as it is stored, only indented: no number is parsed, so none is rounded. Text is text, whatever it looks like. */
export function JsonText({ text, label }: { text: string | null; label: string }) {
  const t = useT();
  const [all, setAll] = useState(false);
  if (text === null || text === '') return <span className="secondary">–</span>;
  const pretty = marksEscaped(text.length > 1_000_000 ? text : indentJson(text));
  const shown = all ? pretty : pretty.slice(0, SHOWN);
  return (
    <div className="json-text">
      <div className="spread">
        <span className="secondary">{t('json.size', { n: text.length })}</span>
        <CopyButton text={text} what={label} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section aria-label={label} tabIndex={0}>
        <pre className="mono">
          <bdi>{shown}</bdi>
        </pre>
      </section>
      {shown.length < pretty.length && <Button onClick={() => setAll(true)}>{t('json.showAll')}</Button>}
    </div>
  );
}
