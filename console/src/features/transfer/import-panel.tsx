import { useNavigate, useSearch } from '@tanstack/react-router';
import { Alert, Button, Input, Radio } from 'antd';
import { useId, useRef, useState } from 'react';
import type {
  ConvertedConfiguration,
  ConvertedFrom,
  ImportAnswer,
  NameMap,
  OnConflict,
} from '../../../../src/admin/contract/transfer.js';
import { api } from '../../api/client';
import { useMay } from '../../api/session';
import { ErrorPanel } from '../../components/error-panel';
import { useT } from '../../lib/i18n';
import { oneOf } from '../../lib/search';
import { ApplyButton } from './apply-button';
import { ConversionNotes, ConvertPanel } from './convert-panel';
import { FilePicker } from './file-picker';
import { ImportErrors } from './import-errors';
import { ImportReport } from './import-report';
import { NameMapping } from './name-mapping';
import { goToPlace, type TextField } from './text-place';

const CHOICES: readonly OnConflict[] = ['skip', 'overwrite', 'rename'];
const SOURCES: readonly ConvertedFrom[] = ['xxl-job', 'powerjob'];
/** What the server said of exactly this text, this choice and these names. */
interface Verdict {
  text: string;
  choice: OnConflict;
  names: NameMap;
  answer: ImportAnswer;
}

/** A file is looked at first (nothing is written), then applied as it was looked at; any change of it asks for another look. */
export function ImportPanel() {
  const t = useT();
  const navigate = useNavigate();
  const may = useMay('jobs.edit');
  const raw = useSearch({ strict: false });
  const choice = oneOf(raw, 'onConflict', CHOICES) ?? 'skip';
  const from = oneOf(raw, 'from', SOURCES);
  const [converted, setConverted] = useState<ConvertedConfiguration | null>(null);
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [names, setNames] = useState<NameMap>({});
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const area = useRef<TextField>(null);
  const textId = useId();
  const same = verdict?.text === text && verdict.names === names;
  const current = verdict && same && (verdict.choice === choice || !verdict.answer.dryRun) ? verdict : null;

  const go = (search: { onConflict?: OnConflict; from?: string }) =>
    void navigate({
      to: '/transfer',
      search: {
        tab: 'import',
        onConflict: choice === 'skip' ? undefined : choice,
        from,
        ...search,
      } as never,
      replace: true,
    });
  function change(value: string) {
    setText(value);
    setNames({});
    setError(null);
  }
  async function look() {
    setBusy(true);
    setError(null);
    try {
      const { body } = await api.post<ImportAnswer>('import', { fileText: text, dryRun: true, onConflict: choice, names });
      setVerdict({ text, choice, names, answer: body });
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  }

  if (!may) return <Alert type="info" showIcon title={t('error.needs', { permission: 'jobs.edit' })} />;
  return (
    <div className="stack">
      <div className="stack transfer-form">
        <p className="secondary" style={{ margin: 0 }}>
          {t('transfer.importNote')}
        </p>
        <Radio.Group
          aria-label={t('convert.kind')}
          value={from ?? ''}
          options={[{ value: '', label: t('convert.own') }, ...SOURCES.map((value) => ({ value, label: t(`convert.${value}`) }))]}
          onChange={({ target }) => go({ from: target.value || undefined })}
        />
        {from && (
          <ConvertPanel
            key={from}
            from={from}
            onConverted={(done) => {
              change(done.fileText);
              setConverted(done);
            }}
          />
        )}
        {from && converted && <ConversionNotes {...converted} />}
        <FilePicker onText={change}>
          <label htmlFor={textId}>{t('transfer.text')}</label>
          <Input.TextArea
            ref={area as never}
            id={textId}
            className="mono"
            rows={12}
            spellCheck={false}
            value={text}
            placeholder={t('transfer.placeholder')}
            onChange={({ target }) => change(target.value)}
          />
        </FilePicker>
        {verdict && verdict.text === text && verdict.answer.dryRun && (
          <NameMapping found={verdict.answer.names} names={names} onChange={setNames} />
        )}
        <div className="row">
          <span>{t('transfer.onConflict')}</span>
          <Radio.Group
            aria-label={t('transfer.onConflict')}
            value={choice}
            options={CHOICES.map((value) => ({ value, label: t(`transfer.${value}`) }))}
            onChange={({ target }) => go({ onConflict: target.value === 'skip' ? undefined : target.value })}
          />
        </div>
        <div className="row">
          <Button type={current ? 'default' : 'primary'} loading={busy} disabled={text.trim() === ''} onClick={() => void look()}>
            {t('transfer.check')}
          </Button>
          {current?.answer.dryRun && (
            <ApplyButton
              text={text}
              choice={choice}
              names={names}
              answer={current.answer}
              onDone={(answer) => setVerdict({ text, choice, names, answer })}
            />
          )}
        </div>
      </div>
      {error !== null && <ErrorPanel error={error} onRetry={() => void look()} />}
      {current && current.answer.errors.length > 0 && (
        <ImportErrors errors={current.answer.errors} onGo={(line, column) => goToPlace(area.current, text, line, column)} />
      )}
      {current && <ImportReport answer={current.answer} />}
    </div>
  );
}
