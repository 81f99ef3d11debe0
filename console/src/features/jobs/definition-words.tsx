import { useCallback } from 'react';
import { fieldName } from '../../lib/field-names';
import { useCodeText, useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { memberText, plainLabel } from './member-text';

/** A member of a definition, or `schedule.` and a member of its schedule: as the editor calls it, without the unit it asks for, and by its name. */
export function MemberName({ name }: { name: string }) {
  const t = useT();
  const label = fieldName(`/${name.replace('.', '/')}`);
  return (
    <>
      {label && <span className="member-label">{plainLabel(t(label))}</span>} <code>{name}</code>
    </>
  );
}

/** What members of definitions state, in the words of the page. */
export function useMemberText(): (name: string, value: unknown, timeZone: string) => string {
  const t = useT();
  const code = useCodeText();
  const { language } = usePreferences();
  return useCallback((name, value, timeZone) => memberText(name, value, { t, code, language, timeZone }), [t, code, language]);
}
