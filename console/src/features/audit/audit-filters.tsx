import { Button, Input, Select, Tag } from 'antd';
import { CATALOGUES } from '../../i18n/areas';
import { useCodeText, useT } from '../../lib/i18n';
import { WINDOWS, type Window } from '../../lib/since';
import { ACTOR_KINDS, type AuditSearch } from './search';

const known = (prefix: string): string[] =>
  Object.keys(CATALOGUES.en)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length));
const DEEDS = known('deed.');
const KINDS = known('kindOf.');

/** A value that the console has no word for stays to be seen, and can be taken out. */
export function AuditFilters({
  search,
  onChange,
  onReset,
}: {
  search: AuditSearch;
  onChange: (change: Partial<AuditSearch>) => void;
  onReset: () => void;
}) {
  const t = useT();
  const code = useCodeText();
  const choices = (prefix: string, codes: readonly string[], chosen: string | undefined, plain: boolean) =>
    [...new Set([...codes, ...(chosen === undefined ? [] : [chosen])])].map((value) => ({
      value,
      label: plain ? code(prefix, value) : `${code(prefix, value)} · ${value}`,
    }));
  const text = (name: 'actor' | 'objectId' | 'group' | 'bulk') => (
    <Input.Search
      key={`${name} ${search[name] ?? ''}`}
      allowClear
      style={{ width: name === 'objectId' || name === 'bulk' ? 200 : 150 }}
      aria-label={t(`audit.filter.${name}`)}
      placeholder={t(`audit.filter.${name}`)}
      defaultValue={search[name]}
      onSearch={(value) => onChange({ [name]: value.trim() || undefined })}
    />
  );
  const { after: _, ...filters } = search;
  return (
    <div className="row" data-filter>
      <Select
        allowClear
        style={{ width: 130 }}
        aria-label={t('audit.filter.actorKind')}
        placeholder={t('audit.filter.actorKind')}
        value={search.actorKind}
        options={ACTOR_KINDS.map((value) => ({ value, label: t(`actorKind.${value}`) }))}
        onChange={(actorKind: AuditSearch['actorKind']) => onChange({ actorKind })}
      />
      {text('actor')}
      <Select
        allowClear
        showSearch={{ optionFilterProp: 'label' }}
        popupMatchSelectWidth={340}
        style={{ width: 180 }}
        aria-label={t('audit.filter.action')}
        placeholder={t('audit.filter.action')}
        value={search.action}
        options={choices('deed', DEEDS, search.action, false)}
        onChange={(action: string | undefined) => onChange({ action })}
      />
      <Select
        allowClear
        style={{ width: 130 }}
        aria-label={t('audit.filter.objectType')}
        placeholder={t('audit.filter.objectType')}
        value={search.objectType}
        options={choices('kindOf', KINDS, search.objectType, true)}
        onChange={(objectType: string | undefined) => onChange({ objectType })}
      />
      {text('objectId')}
      {text('group')}
      {text('bulk')}
      <Select
        style={{ width: 140 }}
        aria-label={t('tasks.window')}
        value={search.since ?? 'all'}
        options={WINDOWS.map((value) => ({ value, label: t(`window.${value}`) }))}
        onChange={(since: Window) => onChange({ since: since === 'all' ? undefined : since, from: undefined, to: undefined })}
      />
      {(['from', 'to'] as const).map(
        (name) =>
          search[name] !== undefined && (
            <Tag key={name} closable onClose={() => onChange({ [name]: undefined })}>
              {t(`audit.filter.${name}`)} <bdi className="mono">{search[name]}</bdi>
            </Tag>
          ),
      )}
      {Object.values(filters).some((value) => value !== undefined) && (
        <Button type="link" size="small" onClick={onReset}>
          {t('tasks.reset')}
        </Button>
      )}
    </div>
  );
}
