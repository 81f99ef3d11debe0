import { Link } from '@tanstack/react-router';
import { Tag } from 'antd';
import type { ReactNode } from 'react';
import type { BulkFilter, BulkView } from '../../../../src/admin/contract/bulk.js';
import { WrittenText } from '../../components/written-text';
import { useCodeText, useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { withZone } from '../../lib/times';

type Param = `param.${string}`;
type Named = Exclude<keyof BulkFilter, 'ids' | 'failedOf' | 'late' | Param>;
const NAMES = [
  'group',
  'state',
  'job',
  'handler',
  'app',
  'worker',
  'clientRequestId',
  'trigger',
  'owner',
  'tag',
  'q',
  'flowId',
  'parentId',
  'from',
  'to',
  'endedFrom',
] as const satisfies readonly Named[];
const INSTANTS: readonly Named[] = ['from', 'to', 'endedFrom'];

/** What a bulk action was on, in words: its filter as the lists have it, with times that say when and where. */
export function BulkFilterWords({ bulk }: { bulk: BulkView }) {
  const t = useT();
  const word = useWord(bulk);
  const { filter } = bulk;
  const ofTasks = bulk.kind.startsWith('tasks.');
  const chips: [key: string, text: ReactNode][] = NAMES.flatMap((name) =>
    [filter[name] ?? []]
      .flat()
      .map((value): [string, ReactNode] => [`${name} ${value}`, <Word key={value} name={name} text={word(name, value)} />]),
  );
  for (const [path, values] of Object.entries(filter))
    if (path.startsWith('param.'))
      for (const value of [values].flat())
        chips.push([`${path} ${value}`, <WrittenText key={`${path} ${value}`} text={`${path}: ${value}`} />]);
  if (filter.late) chips.push(['late', t('bulkFilter.late')]);
  if (filter.ids) chips.push(['ids', t(ofTasks ? 'bulkFilter.someTasks' : 'bulkFilter.someJobs', { n: filter.ids.length })]);
  if (filter.failedOf)
    chips.push([
      'failedOf',
      <Link key="failed" to="/bulk/$bulkId" params={{ bulkId: filter.failedOf }} search={{ outcome: 'failed' } as never}>
        {t('bulk.asFailures')}
      </Link>,
    ]);
  if (chips.length === 0) return t(ofTasks ? 'bulkFilter.allTasks' : 'bulkFilter.allJobs');
  return (
    <ul className="filter-words" aria-label={t('bulk.filter')}>
      {chips.map(([key, text]) => (
        <li key={key}>
          <Tag>{text}</Tag>
        </li>
      ))}
    </ul>
  );
}

function Word({ name, text }: { name: Named; text: string }) {
  const t = useT();
  return (
    <>
      {t(`bulkFilter.${name}`)}: <WrittenText text={text} />
    </>
  );
}

function useWord(bulk: BulkView): (name: Named, value: string) => string {
  const code = useCodeText();
  const { zone } = usePreferences();
  return (name, value) => {
    if (INSTANTS.includes(name)) return withZone(Date.parse(value), zone);
    if (name === 'trigger') return code('trigger', value);
    if (name === 'state') return code(bulk.kind.startsWith('tasks.') ? 'state' : 'jobState', value);
    return value;
  };
}
