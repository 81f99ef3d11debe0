import { Collapse, Input } from 'antd';
import type { MappableNames, NameMap } from '../../../../src/admin/contract/transfer.js';
import { useT } from '../../lib/i18n';

const KINDS = ['groups', 'owners'] as const;

/** Under which other names what the file says of groups and owners is taken in; an empty field leaves the name as it is. */
export function NameMapping({
  found,
  names,
  onChange,
}: {
  found: MappableNames;
  names: NameMap;
  onChange: (names: NameMap) => void;
}) {
  const t = useT();
  const set = (kind: (typeof KINDS)[number], from: string, to: string) => {
    const { [from]: _, ...others } = names[kind] ?? {};
    onChange({ ...names, [kind]: to === '' ? others : { ...others, [from]: to } });
  };
  if (found.groups.length + found.owners.length === 0) return null;
  const content = (
    <table className="data-table">
      <caption className="visually-hidden">{t('transfer.mapping')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('transfer.type')}</th>
          <th scope="col">{t('transfer.inFile')}</th>
          <th scope="col">{t('transfer.takenInAs')}</th>
        </tr>
      </thead>
      <tbody>
        {KINDS.flatMap((kind) =>
          found[kind].map((name) => (
            <tr key={`${kind} ${name}`}>
              <td>{t(`transfer.mapped.${kind}`)}</td>
              <td>
                <bdi className="mono">{name}</bdi>
              </td>
              <td>
                <Input
                  aria-label={t('transfer.mapName', { kind: t(`transfer.mapped.${kind}`), name })}
                  placeholder={name}
                  maxLength={128}
                  value={names[kind]?.[name] ?? ''}
                  onChange={({ target }) => set(kind, name, target.value.trim())}
                />
              </td>
            </tr>
          )),
        )}
      </tbody>
    </table>
  );
  return <Collapse size="small" items={[{ key: 'names', label: t('transfer.mapping'), children: content }]} />;
}
