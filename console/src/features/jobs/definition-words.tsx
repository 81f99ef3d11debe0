import { fieldName } from '../../lib/field-names';
import { type Translate, useT } from '../../lib/i18n';
import { durationText } from '../../lib/times';

/** A member of a definition, or `schedule.` and a member of its schedule: as the editor calls it, without the unit it asks for, and by its name. */
export function MemberName({ name }: { name: string }) {
  const t = useT();
  const label = fieldName(`/${name.replace('.', '/')}`);
  return (
    <>
      {label && <span className="member-label">{t(label).replace(/ ?[（(].*$/u, '')}</span>} <code>{name}</code>
    </>
  );
}

/** What it states: lengths of time as one says them, everything else as it is written. */
export function memberText(name: string, value: unknown, t: Translate): string {
  if (value === undefined || value === null) return '–';
  if (typeof value === 'number' && name.endsWith('Ms')) return durationText(value, t);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
