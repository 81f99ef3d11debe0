import { App, Button, Input, Modal, Tooltip } from 'antd';
import { type ReactNode, useId, useState } from 'react';
import type { Permission } from '../../../src/admin/contract/session.js';
import type { Answer } from '../api/client';
import { ApiError } from '../api/client';
import { useMay } from '../api/session';
import { useCodeText, useT } from '../lib/i18n';
import { useReturnFocus } from '../lib/return-focus';

export interface ActionButtonProps {
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
  primary?: boolean;
  icon?: ReactNode;
}

/** Every action that changes something: allowed or not and why, asked for in proportion, sent once, told how it ended. */
export function ActionButton(props: ActionButtonProps) {
  const { label, permission, group, object, blocked, confirm, run, done, onDone, danger, primary, icon } = props;
  const t = useT();
  const code = useCodeText();
  const { message } = App.useApp();
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const may = useMay(permission, group);
  const why = !may ? t('error.needs', { permission }) : (blocked ?? null);

  async function act(reason?: string): Promise<boolean> {
    if (busy) return false;
    setBusy(true);
    try {
      const { auditId } = await run(reason === '' ? undefined : reason);
      message.success(auditId ? `${done} · ${auditId}` : done);
      onDone?.();
      return true;
    } catch (error) {
      const problem = error instanceof ApiError ? error : null;
      message.error(problem ? `${code('problem', problem.code)}: ${problem.detail}` : String(error), 8);
      return false;
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <Tooltip title={why}>
        <Button
          danger={danger}
          type={primary ? 'primary' : 'default'}
          icon={icon}
          loading={busy && !open}
          aria-disabled={why !== null}
          className={why === null ? undefined : 'is-disabled'}
          aria-label={[label, object, why].filter(Boolean).join(' – ')}
          onClick={() => {
            if (why !== null) return;
            if (confirm === 'none') void act();
            else setOpen(true);
          }}
        >
          {label}
        </Button>
      </Tooltip>
      {open && <ConfirmDialog {...props} busy={busy} close={() => setOpen(false)} act={act} />}
    </>
  );
}

interface DialogProps extends ActionButtonProps {
  busy: boolean;
  close: () => void;
  act: (reason: string) => Promise<boolean>;
}

function ConfirmDialog({ label, object, confirm, preview, reasonRequired, danger, busy, close, act }: DialogProps) {
  const t = useT();
  useReturnFocus();
  const [reason, setReason] = useState('');
  const [name, setName] = useState('');
  const reasonId = useId();
  const nameId = useId();
  const ready = (!reasonRequired || reason.trim() !== '') && (confirm !== 'name' || name === object);
  return (
    <Modal
      open
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
    </Modal>
  );
}
