import { App, type FormInstance } from 'antd';
import { useState } from 'react';
import { failureText, fieldErrors } from '../lib/field-errors';
import { usePreferences } from '../lib/preferences';

/**
 * Does something that asks the server, one at a time, and tells why when it was refused: at the fields of the form that were refused if
 * there is a form, else in a message.
 */
export function useAttempt(form?: Pick<FormInstance, 'setFields'>): {
  busy: boolean;
  attempt: (work: () => Promise<unknown>) => Promise<void>;
} {
  const { language } = usePreferences();
  const { message } = App.useApp();
  const [busy, setBusy] = useState(false);
  async function attempt(work: () => Promise<unknown>): Promise<void> {
    if (busy) return;
    setBusy(true);
    try {
      await work();
    } catch (error) {
      const fields = form ? fieldErrors(error, language) : [];
      if (form && fields.length > 0) form.setFields(fields);
      else message.error(failureText(error, language), 8);
    } finally {
      setBusy(false);
    }
  }
  return { busy, attempt };
}
