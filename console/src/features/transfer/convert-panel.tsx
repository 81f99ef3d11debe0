import { useQuery } from '@tanstack/react-query';
import { Alert, Button, Input, Select } from 'antd';
import { useId, useRef, useState } from 'react';
import { jsonFault } from '../../../../sdk/src/contract/json-fault';
import type { GroupList } from '../../../../src/admin/contract/groups.js';
import type { ConversionNote, ConvertedConfiguration, ConvertedFrom } from '../../../../src/admin/contract/transfer.js';
import { api } from '../../api/client';
import { useSession } from '../../api/session';
import { ErrorPanel } from '../../components/error-panel';
import { useCodeText, useT } from '../../lib/i18n';
import { FilePicker } from './file-picker';
import { NotJson } from './not-json';
import { goToPlace, type TextField } from './text-place';

const EXAMPLES = {
  'xxl-job': '[{"id": 1, "jobDesc": "…", "executorHandler": "…", …}]',
  powerjob: '[{"id": 1, "jobName": "…", "processorInfo": "…", "timeExpressionType": 2, …}]',
} satisfies Record<ConvertedFrom, string>;

/** What another scheduler exported becomes the text of a file, which is then looked at like any other. */
export function ConvertPanel({
  from,
  onConverted,
}: {
  from: ConvertedFrom;
  onConverted: (converted: ConvertedConfiguration) => void;
}) {
  const t = useT();
  const ids = { group: useId(), zone: useId(), text: useId() };
  const [text, setText] = useState('');
  const [group, setGroup] = useState<string>();
  const [timeZone, setTimeZone] = useState('');
  const defaultZone = useSession()?.defaultTimeZone;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const area = useRef<TextField>(null);
  const groups = useQuery({
    queryKey: ['groups', 'list'],
    queryFn: ({ signal }) => api.get<GroupList>('groups', undefined, signal),
  });
  async function convert() {
    setError(null);
    setRefused(jsonFault(text) === null ? null : text);
    if (jsonFault(text) !== null) return;
    setBusy(true);
    try {
      const asked = { from, fileText: text, group, ...(timeZone.trim() ? { timeZone: timeZone.trim() } : {}) };
      onConverted((await api.post<ConvertedConfiguration>('import/convert', asked)).body);
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  }
  return (
    <div className="panel stack">
      <span className="secondary">{t(`convert.note.${from}`)}</span>
      <FilePicker onText={setText} what={t(`convert.text.${from}`)}>
        <label htmlFor={ids.text}>{t(`convert.text.${from}`)}</label>
        <Input.TextArea
          ref={area as never}
          id={ids.text}
          className="mono"
          rows={4}
          spellCheck={false}
          value={text}
          placeholder={EXAMPLES[from]}
          onChange={({ target }) => setText(target.value)}
        />
      </FilePicker>
      <div className="stack transfer-field">
        <label htmlFor={ids.group}>{t('convert.group')}</label>
        <Select
          id={ids.group}
          value={group}
          options={groups.data?.items.map(({ key }) => ({ value: key, label: key }))}
          onChange={setGroup}
        />
      </div>
      <div className="stack transfer-field">
        <label htmlFor={ids.zone}>{t('convert.zone')}</label>
        <Input id={ids.zone} value={timeZone} placeholder={defaultZone} onChange={({ target }) => setTimeZone(target.value)} />
      </div>
      <div className="row">
        <Button type="primary" loading={busy} disabled={text.trim() === '' || group === undefined} onClick={() => void convert()}>
          {t('convert.start')}
        </Button>
      </div>
      {refused === text && (
        <NotJson
          text={text}
          hint={t(`convert.jsonOnly.${from}`)}
          onGo={(line, column) => goToPlace(area.current, text, line, column)}
        />
      )}
      {error !== null && <ErrorPanel error={error} onRetry={() => void convert()} />}
    </div>
  );
}

/** What is not as it was, each with the jobs it concerns. */
export function ConversionNotes({ jobs, notes }: { jobs: number; notes: readonly ConversionNote[] }) {
  const t = useT();
  const code = useCodeText();
  return (
    <Alert
      type={notes.length > 0 ? 'warning' : 'success'}
      showIcon
      role="status"
      title={t('convert.done', { n: jobs })}
      description={
        notes.length > 0 && (
          <ul className="plain-list">
            {notes.map((note) => (
              <li key={note.code}>
                {t('convert.note', { what: code('convertNote', note.code) })} <bdi className="mono">{note.jobs.join(', ')}</bdi>
              </li>
            ))}
          </ul>
        )
      }
    />
  );
}
