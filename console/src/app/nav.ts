import {
  AlertOutlined,
  ApartmentOutlined,
  AuditOutlined,
  CalendarOutlined,
  ClusterOutlined,
  DashboardOutlined,
  KeyOutlined,
  PartitionOutlined,
  ScheduleOutlined,
  SendOutlined,
  SettingOutlined,
  SwapOutlined,
  TeamOutlined,
  ThunderboltOutlined,
  UnorderedListOutlined,
} from '@ant-design/icons';
import type { ComponentType } from 'react';
import type { MessageKey } from '../lib/i18n';

export interface NavItem {
  to: string;
  label: MessageKey;
  icon: ComponentType;
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
      { to: '/overview', label: 'nav.overview', icon: DashboardOutlined, permission: 'tasks.view', shortcut: 'o' },
      { to: '/tasks', label: 'nav.tasks', icon: UnorderedListOutlined, permission: 'tasks.view', shortcut: 'r' },
      { to: '/jobs', label: 'nav.jobs', icon: ScheduleOutlined, permission: 'jobs.view', shortcut: 'j' },
      { to: '/calendar', label: 'nav.calendar', icon: CalendarOutlined, permission: 'jobs.view' },
      { to: '/graph', label: 'nav.graph', icon: ApartmentOutlined, permission: 'jobs.view' },
    ],
  },
  {
    title: 'nav.fleet',
    items: [
      { to: '/workers', label: 'nav.workers', icon: ClusterOutlined, permission: 'workers.view', shortcut: 'w' },
      { to: '/groups', label: 'nav.groups', icon: PartitionOutlined, permission: 'groups.view' },
    ],
  },
  {
    title: 'nav.integrate',
    items: [
      { to: '/keys', label: 'nav.keys', icon: KeyOutlined, permission: 'keys.view' },
      { to: '/callbacks', label: 'nav.callbacks', icon: SendOutlined, permission: 'keys.view' },
    ],
  },
  {
    title: 'nav.watch',
    items: [
      { to: '/alerts', label: 'nav.alerts', icon: AlertOutlined, permission: 'tasks.view' },
      { to: '/audit', label: 'nav.audit', icon: AuditOutlined, permission: 'audit.view' },
    ],
  },
  {
    title: 'nav.admin',
    items: [
      { to: '/bulk', label: 'nav.bulk', icon: ThunderboltOutlined, permission: 'tasks.view' },
      { to: '/transfer', label: 'nav.transfer', icon: SwapOutlined, permission: 'jobs.view' },
      { to: '/users', label: 'nav.users', icon: TeamOutlined, permission: 'users.view' },
      { to: '/settings', label: 'nav.settings', icon: SettingOutlined, permission: 'system.view' },
    ],
  },
];
