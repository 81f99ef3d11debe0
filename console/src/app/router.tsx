import type { FetchQueryOptions } from '@tanstack/react-query';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import { sessionQuestion } from '../api/session';
import { siteQuestion } from '../api/site';
import { LoginPage } from '../features/login/login-page';
import { overviewQuestions } from '../features/overview/questions';
import { taskQuestions } from '../features/tasks/questions';
import { BASE_PATH } from '../lib/base-path';
import { preferences } from '../lib/preferences';
import { one, parseSearch, type RawSearch, stringifySearch } from '../lib/search';
import { NotFound, RouteError } from './dead-ends';
import { queryClient } from './providers';
import { Shell } from './shell';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound, errorComponent: RouteError });

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  component: LoginPage,
  validateSearch: (raw: RawSearch): { next?: string } => ({ next: one(raw, 'next') }),
});

/** Every page but the login: nobody sees one without a session, and comes back to it after signing in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ location }) => {
    const session = await queryClient.ensureQueryData(sessionQuestion);
    if (!session) throw redirect({ to: '/login', search: { next: location.href } });
  },
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: preferences().landing });
  },
});

/**
 * A page with what its URL may say. Unknown values stay as they are: the page shows them and lets them be removed.
 *
 * @param questions what it asks as it opens, so that the answers can be on their way before its code is
 */
const page = <const Path extends string>(path: Path, component: RouteComponent, questions?: Questions) =>
  createRoute({
    getParentRoute: () => shell,
    path,
    component,
    validateSearch: (raw: RawSearch): RawSearch => raw,
    staticData: { questions },
  });

const pages = [
  page(
    '/overview',
    lazyRouteComponent(() => import('../features/overview/overview-page'), 'OverviewPage'),
    overviewQuestions,
  ),
  page(
    '/tasks',
    lazyRouteComponent(() => import('../features/tasks/tasks-page'), 'TasksPage'),
    taskQuestions,
  ),
  page(
    '/tasks/$taskId',
    lazyRouteComponent(() => import('./task-route'), 'TaskRoute'),
  ),
  page(
    '/jobs',
    lazyRouteComponent(() => import('../features/jobs/jobs-page'), 'JobsPage'),
  ),
  page(
    '/jobs/new',
    lazyRouteComponent(() => import('../features/jobs/job-editor-page'), 'JobEditorPage'),
  ),
  page(
    '/jobs/$jobId',
    lazyRouteComponent(() => import('./job-route'), 'JobRoute'),
  ),
  page(
    '/jobs/$jobId/edit',
    lazyRouteComponent(() => import('../features/jobs/job-editor-page'), 'JobEditorPage'),
  ),
  page(
    '/calendar',
    lazyRouteComponent(() => import('../features/calendar/calendar-page'), 'CalendarPage'),
  ),
  page(
    '/graph',
    lazyRouteComponent(() => import('../features/graph/graph-page'), 'GraphPage'),
  ),
  page(
    '/workers',
    lazyRouteComponent(() => import('../features/workers/workers-page'), 'WorkersPage'),
  ),
  page(
    '/workers/$workerId',
    lazyRouteComponent(() => import('../features/workers/worker-page'), 'WorkerPage'),
  ),
  page(
    '/groups',
    lazyRouteComponent(() => import('../features/groups/groups-page'), 'GroupsPage'),
  ),
  page(
    '/groups/$groupKey',
    lazyRouteComponent(() => import('../features/groups/group-page'), 'GroupPage'),
  ),
  page(
    '/keys',
    lazyRouteComponent(() => import('../features/keys/keys-page'), 'KeysPage'),
  ),
  page(
    '/keys/tester',
    lazyRouteComponent(() => import('../features/keys/tester-page'), 'TesterPage'),
  ),
  page(
    '/keys/rejected',
    lazyRouteComponent(() => import('../features/keys/rejected-page'), 'RejectedPage'),
  ),
  page(
    '/keys/$accessKey',
    lazyRouteComponent(() => import('../features/keys/key-page'), 'KeyPage'),
  ),
  page(
    '/callbacks',
    lazyRouteComponent(() => import('../features/callbacks/callbacks-page'), 'CallbacksPage'),
  ),
  page(
    '/callbacks/deliveries/$deliveryId',
    lazyRouteComponent(() => import('../features/callbacks/delivery-page'), 'DeliveryPage'),
  ),
  page(
    '/callbacks/endpoints/$endpointId',
    lazyRouteComponent(() => import('../features/callbacks/endpoint-page'), 'EndpointPage'),
  ),
  page(
    '/alerts',
    lazyRouteComponent(() => import('../features/alerts/alerts-page'), 'AlertsPage'),
  ),
  page(
    '/audit',
    lazyRouteComponent(() => import('../features/audit/audit-page'), 'AuditPage'),
  ),
  page(
    '/bulk',
    lazyRouteComponent(() => import('../features/bulk/bulk-list-page'), 'BulkListPage'),
  ),
  page(
    '/bulk/$bulkId',
    lazyRouteComponent(() => import('../features/bulk/bulk-page'), 'BulkPage'),
  ),
  page(
    '/transfer',
    lazyRouteComponent(() => import('../features/transfer/transfer-page'), 'TransferPage'),
  ),
  page(
    '/users',
    lazyRouteComponent(() => import('../features/users/users-page'), 'UsersPage'),
  ),
  page(
    '/settings',
    lazyRouteComponent(() => import('../features/settings/settings-page'), 'SettingsPage'),
  ),
  page(
    '/system',
    lazyRouteComponent(() => import('../features/settings/system-page'), 'SystemPage'),
  ),
  page(
    '/me',
    lazyRouteComponent(() => import('../features/settings/me-page'), 'MePage'),
  ),
  page('/$', NotFound),
];

export const router = createRouter({
  routeTree: root.addChildren([login, shell.addChildren([home, ...pages])]),
  basepath: BASE_PATH,
  parseSearch,
  stringifySearch,
  defaultPreload: false,
  // Another object is another page: nothing of the one before stays in it.
  defaultRemountDeps: ({ params }) => params,
});
// The session, the code of the page one came for and what it asks: all at once, before anything is drawn. None fails here: whoever needs
// it asks again, and an answer that the session is over leads to the login.
const [, , first] = router.getMatchedRoutes(router.latestLocation.pathname);
if (first) {
  void queryClient.prefetchQuery(sessionQuestion);
  void queryClient.prefetchQuery(siteQuestion);
  void first.options.component?.preload?.();
  for (const question of first.options.staticData?.questions?.(router.latestLocation.search) ?? [])
    void queryClient.prefetchQuery(question as FetchQueryOptions);
}
type Questions = (raw: RawSearch) => readonly { queryKey: readonly unknown[] }[];
declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    questions?: Questions;
  }
  interface Register {
    router: typeof router;
  }
}
