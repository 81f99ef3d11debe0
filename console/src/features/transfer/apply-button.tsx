import { useQueryClient } from '@tanstack/react-query';
import type { ImportAnswer, NameMap, OnConflict } from '../../../../src/admin/contract/transfer.js';
import { api } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { useT } from '../../lib/i18n';

/** Overwriting what others made asks for more than a click. */
export function ApplyButton({
  text,
  choice,
  names,
  answer: { counts, errors },
  onDone,
}: {
  text: string;
  choice: OnConflict;
  names: NameMap;
  answer: ImportAnswer;
  onDone: (answer: ImportAnswer) => void;
}) {
  const t = useT();
  const client = useQueryClient();
  const writes = counts.create + counts.update;
  const blocked = errors.length > 0 ? t('transfer.fixFirst') : writes === 0 ? t('transfer.nothingToDo') : null;
  return (
    <ActionButton
      label={t('transfer.apply')}
      permission="jobs.edit"
      group={null}
      object={counts.update > 0 ? t('transfer.overwriteWord', { n: counts.update }) : undefined}
      blocked={blocked}
      confirm={counts.update > 0 ? 'name' : 'dialog'}
      danger={counts.update > 0}
      primary
      preview={
        <div className="stack" style={{ gap: 4 }}>
          <span>{t('transfer.willCreate', { n: counts.create })}</span>
          {counts.update > 0 && <strong className="state-late">{t('transfer.willOverwrite', { n: counts.update })}</strong>}
          {counts.conflict > 0 && <span>{t('transfer.willSkip', { n: counts.conflict })}</span>}
          <span className="secondary">{t('transfer.arrivePaused')}</span>
        </div>
      }
      run={async (reason) => {
        const done = await api.post<ImportAnswer>('import', { fileText: text, onConflict: choice, names, reason });
        onDone(done.body);
        return done;
      }}
      done={t('transfer.applied')}
      onDone={() => void client.invalidateQueries()}
    />
  );
}
