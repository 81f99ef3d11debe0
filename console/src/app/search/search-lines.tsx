import { useEffect, useRef } from 'react';
import { useCodeText } from '../../lib/i18n';
import type { Entry } from './entries';

export interface Section {
  title: string;
  entries: Entry[];
}

/** The lines found, in their sections; the chosen one is always in view. */
export function SearchLines({
  id,
  sections,
  chosen,
  take,
}: {
  id: string;
  sections: Section[];
  chosen: number;
  take: (entry: Entry) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`[data-line="${chosen}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  let line = -1;
  return (
    <div className="search-lines" role="listbox" id={id} ref={list} aria-label={sections.map(({ title }) => title).join(', ')}>
      {sections
        .filter(({ entries }) => entries.length > 0)
        .map(({ title, entries }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of options
          <div key={title} role="group" aria-label={title}>
            <div className="search-heading" aria-hidden="true">
              {title}
            </div>
            {entries.map((entry) => {
              line += 1;
              return (
                // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the field has the focus, and its keys choose
                <div
                  key={entry.key}
                  id={`${id}-${line}`}
                  data-line={line}
                  role="option"
                  aria-selected={line === chosen}
                  onClick={() => take(entry)}
                >
                  <Line entry={entry} />
                </div>
              );
            })}
          </div>
        ))}
    </div>
  );
}

function Line({ entry }: { entry: Entry }) {
  const code = useCodeText();
  if ('action' in entry) return <bdi>{entry.action.label}</bdi>;
  const { type, id, name, group } = entry.place;
  return (
    <>
      <span className="secondary search-type">{code('search.type', type)}</span>
      <bdi className="search-name">{name}</bdi>
      {type !== 'page' && id !== name && <bdi className="mono secondary search-id">{id}</bdi>}
      {group !== null && group !== name && <bdi className="secondary">{group}</bdi>}
    </>
  );
}
