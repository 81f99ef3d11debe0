import type { MessageKey } from '../lib/i18n';

export interface NavItem {
  to: string;
  label: MessageKey;
  /** Shown only to those who may see it. */
  permission?:
    | 'tasks.view'
    | 'jobs.view'
    | 'workers.view'
    | 'groups.view'
    | 'keys.view'
    | 'audit.view'
    | 'users.view'
    | 'system.view';
  /** Follows `g` on the keyboard. */
  shortcut?: string;
}
export const NAV: readonly { title: MessageKey; items: readonly NavItem[] }[] = [
  {
    title: 'nav.operate',
    items: [
      { to: '/overview', label: 'nav.overview', permission: 'tasks.view', shortcut: 'o' },
      { to: '/tasks', label: 'nav.tasks', permission: 'tasks.view', shortcut: 'r' },
      { to: '/jobs', label: 'nav.jobs', permission: 'jobs.view', shortcut: 'j' },
      { to: '/calendar', label: 'nav.calendar', permission: 'jobs.view' },
    ],
  },
  {
    title: 'nav.fleet',
    items: [
      { to: '/workers', label: 'nav.workers', permission: 'workers.view', shortcut: 'w' },
      { to: '/groups', label: 'nav.groups', permission: 'groups.view' },
    ],
  },
  {
    title: 'nav.integrate',
    items: [{ to: '/keys', label: 'nav.keys', permission: 'keys.view' }],
  },
  {
    title: 'nav.watch',
    items: [{ to: '/audit', label: 'nav.audit', permission: 'audit.view' }],
  },
  {
    title: 'nav.admin',
    items: [
      { to: '/bulk', label: 'nav.bulk', permission: 'tasks.view' },
      { to: '/users', label: 'nav.users', permission: 'users.view' },
      { to: '/settings', label: 'nav.settings', permission: 'system.view' },
    ],
  },
];
