import { App, Input } from 'antd';
import { type ReactNode, useId, useState } from 'react';
import type { Permission } from '../../../src/admin/contract/session.js';
import type { Answer } from '../api/client';
import { failureText } from '../lib/field-errors';
import { useT } from '../lib/i18n';
import { usePreferences } from '../lib/preferences';
import { Dialog } from './dialog';

/** One thing that can be done to one object, wherever it is offered: on a button, by a key, in the search. */
export interface Action {
  label: string;
  permission: Permission;
  /** Group of the object; null: it belongs to none. */
  group: string | null;
  /** Names the object, for screen readers and the dialog. */
  object?: string;
  /** Why it cannot be done now although one may; shown on the disabled button. */
  blocked?: string | null;
  /** `none` acts at once; `dialog` asks for a reason; `name` also for the object's name. */
  confirm: 'none' | 'dialog' | 'name';
  /** What will happen, in the dialog. */
  preview?: ReactNode;
  /** No reason, no action. */
  reasonRequired?: boolean;
  run: (reason: string | undefined) => Promise<Answer<unknown>>;
  /** Shown when done. */
  done: string;
  onDone?: () => void;
  danger?: boolean;
}

/** Sends it once however often it is asked for, and tells how it ended. `act` says whether it was done. */
export function useAct({ run, done, onDone }: Action): { busy: boolean; act: (reason?: string) => Promise<boolean> } {
  const { language } = usePreferences();
  const { message } = App.useApp();
  const [busy, setBusy] = useState(false);
  async function act(reason?: string): Promise<boolean> {
    if (busy) return false;
    setBusy(true);
    try {
      const { auditId } = await run(reason === '' ? undefined : reason);
      message.success(auditId ? `${done} · ${auditId}` : done);
      onDone?.();
      return true;
    } catch (error) {
      message.error(failureText(error, language), 8);
      return false;
    } finally {
      setBusy(false);
    }
  }
  return { busy, act };
}

/** Asks before it is done, and closes when it was. */
export function ActionDialog({ action, close }: { action: Action; close: () => void }) {
  const { label, object, confirm, preview, reasonRequired, danger } = action;
  const t = useT();
  const { busy, act } = useAct(action);
  const [reason, setReason] = useState('');
  const [name, setName] = useState('');
  const reasonId = useId();
  const nameId = useId();
  const ready = (!reasonRequired || reason.trim() !== '') && (confirm !== 'name' || name === object);
  return (
    <Dialog
      title={object ? `${label} · ${object}` : label}
      okText={label}
      okButtonProps={{ danger, disabled: !ready, loading: busy }}
      cancelText={t('action.back')}
      onCancel={close}
      onOk={async () => {
        if (await act(reason.trim())) close();
      }}
    >
      <div className="stack">
        {preview}
        <div className="stack" style={{ gap: 4 }}>
          <label htmlFor={reasonId}>{t(reasonRequired ? 'action.reasonRequired' : 'action.reason')}</label>
          <Input.TextArea
            id={reasonId}
            value={reason}
            maxLength={255}
            rows={2}
            onChange={({ target }) => setReason(target.value)}
          />
        </div>
        {confirm === 'name' && object && (
          <div className="stack" style={{ gap: 4 }}>
            <label htmlFor={nameId}>{t('action.typeName', { name: object })}</label>
            <Input id={nameId} value={name} onChange={({ target }) => setName(target.value)} />
          </div>
        )}
      </div>
    </Dialog>
  );
}
