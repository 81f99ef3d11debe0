import { App, type FormInstance } from 'antd';
import { useState } from 'react';
import { ApiError } from '../api/client';
import { fieldErrors } from '../lib/field-errors';
import { useCodeText } from '../lib/i18n';

/**
 * Does something that asks the server, one at a time, and tells why when it was refused: at the fields of the form that were refused if
 * there is a form, else in a message.
 */
export function useAttempt(form?: Pick<FormInstance, 'setFields'>): {
  busy: boolean;
  attempt: (work: () => Promise<unknown>) => Promise<void>;
} {
  const code = useCodeText();
  const { message } = App.useApp();
  const [busy, setBusy] = useState(false);
  async function attempt(work: () => Promise<unknown>): Promise<void> {
    if (busy) return;
    setBusy(true);
    try {
      await work();
    } catch (error) {
      const fields = form ? fieldErrors(error) : [];
      if (form && fields.length > 0) form.setFields(fields);
      else message.error(error instanceof ApiError ? `${code('problem', error.code)}: ${error.detail}` : String(error), 8);
    } finally {
      setBusy(false);
    }
  }
  return { busy, attempt };
}
