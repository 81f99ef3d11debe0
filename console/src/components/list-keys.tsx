import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { mayDo, useSession } from '../api/session';
import { useT } from '../lib/i18n';
import { one } from '../lib/search';
import { type Action, ActionDialog } from './action';
import type { RowKeys } from './row-keys';
import type { RowDeed } from './row-menu';

/** What can be done with a row of a list; what is absent has no key there. */
export interface Listed<Row> {
  rowId: (row: Row) => string;
  /** Path of its page, null if it has none. */
  pageOf: (row: Row) => string | null;
  /** Where one sees what it did; null where nothing can be seen. */
  traceOf?: (row: Row) => { to: string; search?: object } | null;
  /** What that is called in the menu of a row. */
  traceLabel?: string;
  again?: (row: Row) => Action;
  stop?: (row: Row) => Action;
}
interface ListKeys<Row> {
  keys: RowKeys<Row>;
  /** Id of the row that is glanced at, as the URL says. */
  peeked: string | undefined;
  close: () => void;
  /** The question a key has led to. */
  asked: ReactNode;
}

/** The keys of a list. What a key asks to do is asked about first, also what its button does at once, and only where it can be done. */
export function useListKeys<Row>({ rowId, pageOf, traceOf, traceLabel, again, stop }: Listed<Row>): ListKeys<Row> {
  const t = useT();
  const navigate = useNavigate();
  const session = useSession();
  const [asked, setAsked] = useState<Action | null>(null);
  const peeked = one(useSearch({ strict: false }), 'peek');
  const go = (place: { to: string; search?: object } | null) => {
    if (place) void navigate(place as never);
  };
  const peek = (row: Row | null) =>
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, peek: row === null ? undefined : rowId(row) })) as never,
      replace: peeked !== undefined,
    });
  const ask = (action: Action) => {
    if (!action.blocked && mayDo(session, action.permission, action.group)) setAsked(action);
  };
  const deedOf = (action: Action, letter: string): RowDeed => ({
    label: action.label,
    letter,
    why: mayDo(session, action.permission, action.group)
      ? (action.blocked ?? null)
      : t('error.needs', { permission: action.permission }),
    act: () => setAsked(action),
  });
  const plain = (label: string, letter: string, act: () => void): RowDeed => ({ label, letter, why: null, act });
  const menu = (row: Row): RowDeed[] => {
    const to = pageOf(row);
    const trace = traceLabel === undefined ? null : (traceOf?.(row) ?? null);
    return [
      ...(to === null ? [] : [plain(t('menu.open'), '↵', () => go({ to }))]),
      plain(t('menu.peek'), ' ', () => peek(row)),
      ...(traceLabel === undefined || trace === null ? [] : [plain(traceLabel, 'l', () => go(trace))]),
      ...(again ? [deedOf(again(row), 'r')] : []),
      ...(stop ? [deedOf(stop(row), 'c')] : []),
    ];
  };
  const keys: RowKeys<Row> = {
    open: (row) => {
      const to = pageOf(row);
      go(to === null ? null : { to });
    },
    peeked,
    peek,
    trace: traceOf && ((row) => go(traceOf(row))),
    again: again && ((row) => ask(again(row))),
    stop: stop && ((row) => ask(stop(row))),
    menu,
  };
  return {
    keys,
    peeked,
    close: () => peek(null),
    asked: asked && <ActionDialog action={asked} close={() => setAsked(null)} />,
  };
}
