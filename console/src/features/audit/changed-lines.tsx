import { Link } from '@tanstack/react-router';
import type { AuditEntry } from '../../../../src/admin/contract/audit.js';
import { Instant } from '../../components/instant';
import { marksShown } from '../../lib/direction-marks';
import { useCodeText, useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { durationText, instantText } from '../../lib/times';
import { type Change, type ChangedMember, changedMembers, instantOf, lengthOf, listsOf, memberName } from './changes';

/** What the members are called in words. */
function useMemberName(change: Change): (member: ChangedMember) => string {
  const code = useCodeText();
  return (member) =>
    memberName(change, member, (path) => {
      const text = code('auditField', path);
      return text === path ? null : text;
    });
}

/** Values as they are read: states in words, and what else is of a closed list; the rest as it was logged. */
function useWords(change: Change): (member: ChangedMember, value: string) => string {
  const t = useT();
  const code = useCodeText();
  return (member, value) => {
    if (value === 'true' || value === 'false') return t(`evidenceValue.${value}`);
    const length = lengthOf(member, value);
    if (length !== null) return durationText(length, t);
    const lists = listsOf(change, member);
    if (lists.length === 0) return marksShown(value);
    const word = (each: string) => lists.map((list) => code(list, each)).find((text) => text !== each) ?? each;
    return marksShown(value.split(', ').map(word).join(', '));
  };
}

/** The first member that differs, in a line, and how many more there are; it opens the entry, with all of them. */
export function ChangeLine({ entry }: { entry: AuditEntry }) {
  const t = useT();
  const words = useWords(entry);
  const nameOf = useMemberName(entry);
  const { zone } = usePreferences();
  const members = changedMembers(entry);
  const text = (member: ChangedMember, value: string) => {
    const at = instantOf(member, value);
    return at === null ? words(member, value) : instantText(at, zone);
  };
  const [first] = members;
  if (!first) return null;
  const whole = members.map((member) => {
    const sides = [member.from, member.to].flatMap((value) => (value === null ? [] : [text(member, value)]));
    return `${nameOf(member)} [${member.name}]${t('punctuation.colon')}${sides.join(' → ')}`;
  });
  return (
    <Link
      to="."
      search={((before: object) => ({ ...before, peek: entry.id })) as never}
      className="change-line opens"
      title={whole.join('\n')}
    >
      <span>
        <bdi>{nameOf(first)}</bdi> {first.from !== null && <del>{text(first, first.from)}</del>}
        {first.from !== null && first.to !== null && ' → '}
        {first.to !== null && <ins>{text(first, first.to)}</ins>}
      </span>
      {members.length > 1 && <span className="secondary">{t('audit.more', { n: members.length - 1 })}</span>}
    </Link>
  );
}

/** Every member that differs, before and after. */
export function ChangedLines({ entry }: { entry: Change }) {
  const t = useT();
  const words = useWords(entry);
  const nameOf = useMemberName(entry);
  const members = changedMembers(entry);
  if (members.length === 0) return <span className="secondary">{t('jobs.same')}</span>;
  const shown = (member: ChangedMember, value: string) => {
    const at = instantOf(member, value);
    return at === null ? words(member, value) : <Instant at={at} />;
  };
  return (
    <table className="change-table">
      <thead>
        <tr>
          <th scope="col">{t('jobs.field')}</th>
          <th scope="col">{t('jobs.before')}</th>
          <th scope="col">{t('jobs.after')}</th>
        </tr>
      </thead>
      <tbody>
        {members.map((member) => (
          <tr key={member.name}>
            <th scope="row">
              <bdi title={member.name}>{nameOf(member)}</bdi>
            </th>
            <td>{member.from === null ? '–' : <del>{shown(member, member.from)}</del>}</td>
            <td>{member.to === null ? '–' : <ins>{shown(member, member.to)}</ins>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
