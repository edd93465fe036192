import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { ApiFailure } from './api/failure.ts';
import { meQuery, queryClient } from './api/queries.ts';
import {
  asBodyView,
  asInstant,
  asNumber,
  asOutcome,
  asProblemState,
  asSearchText,
  asStatus,
  asText,
  asTimeRange,
  asTriggerTab,
  type AuditSearch,
  type CompareSearch,
  type DeliveriesSearch,
  type EditSearch,
  type KeysSearch,
  type OutlineSearch,
  type ProblemsSearch,
  type RunSearch,
  type RunsSearch,
  type TriggerSearch,
} from './search-params.ts';
import { lazyPage } from './shell/lazy-page.tsx';
import { LeaveGuard } from './shell/leave-guard.tsx';
import { LoadFault } from './shell/load-fault.tsx';
import { NotFoundHere } from './shell/not-found.tsx';
import { OrgLayout } from './shell/org-layout.tsx';
import { PageSkeleton } from './shell/page-skeleton.tsx';
import { Notices } from './ui/overlay/notices.tsx';

const root = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <LeaveGuard />
      <Notices />
    </>
  ),
  notFoundComponent: NotFoundHere,
  errorComponent: LoadFault,
});

const enter = createRoute({
  getParentRoute: () => root,
  path: '/enter',
  component: lazyPage(() => import('./people/enter.page.tsx'), 'EnterPage'),
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { to?: string | undefined } => ({ to: asText(search.to) }),
  component: lazyPage(() => import('./people/sign-in.page.tsx'), 'SignInPage'),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    try {
      await queryClient.ensureQueryData(meQuery);
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.status !== 401) throw error;
      throw redirect({ to: '/sign-in', search: { to: location.href === '/' ? undefined : location.href } });
    }
  },
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  component: lazyPage(() => import('./people/home.page.tsx'), 'HomePage'),
});

const me = createRoute({
  getParentRoute: () => signedIn,
  path: '/me',
  component: lazyPage(() => import('./people/me.page.tsx'), 'MePage'),
});

const org = createRoute({ getParentRoute: () => signedIn, path: '/o/$org', component: OrgLayout });

const today = createRoute({
  getParentRoute: () => org,
  path: '/',
  component: lazyPage(() => import('./today/today.page.tsx'), 'TodayPage'),
});

const triggers = createRoute({
  getParentRoute: () => org,
  path: '/triggers',
  component: lazyPage(() => import('./triggers/triggers.page.tsx'), 'TriggersPage'),
});

const trigger = createRoute({
  getParentRoute: () => org,
  path: '/triggers/$id',
  validateSearch: (search): TriggerSearch => ({
    tab: asTriggerTab(search.tab),
    workflow: asText(search.workflow),
    delivery: asText(search.delivery),
  }),
  component: lazyPage(() => import('./triggers/trigger.page.tsx'), 'TriggerPage'),
});

const deliveries = createRoute({
  getParentRoute: () => org,
  path: '/deliveries',
  validateSearch: (search): DeliveriesSearch => ({
    trigger: asText(search.trigger),
    workflow: asText(search.workflow),
    outcome: asOutcome(search.outcome),
    text: asSearchText(search.text),
    where: asSearchText(search.where),
    last: asTimeRange(search.last),
    from: asInstant(search.from),
    to: asInstant(search.to),
    id: asText(search.id),
    show: asBodyView(search.show),
  }),
  component: lazyPage(() => import('./deliveries/deliveries.page.tsx'), 'DeliveriesPage'),
});

const runs = createRoute({
  getParentRoute: () => org,
  path: '/runs',
  validateSearch: (search): RunsSearch => ({
    status: asStatus(search.status),
    workflow: asText(search.workflow),
    trigger: asText(search.trigger),
    step: asText(search.step),
    code: asText(search.code),
    last: asTimeRange(search.last),
    from: asInstant(search.from),
    to: asInstant(search.to),
  }),
  component: lazyPage(() => import('./runs/runs.page.tsx'), 'RunsPage'),
});

const run = createRoute({
  getParentRoute: () => org,
  path: '/runs/$id',
  validateSearch: (search): RunSearch => ({ step: asText(search.step) }),
  component: lazyPage(() => import('./runs/run.page.tsx'), 'RunPage'),
});

const workflows = createRoute({
  getParentRoute: () => org,
  path: '/workflows',
  component: lazyPage(() => import('./workflows/workflows.page.tsx'), 'WorkflowsPage'),
});

const newWorkflow = createRoute({
  getParentRoute: () => org,
  path: '/workflows/new',
  component: lazyPage(() => import('./workflows/new-workflow.page.tsx'), 'NewWorkflowPage', { isAhead: false }),
});

const workflow = createRoute({
  getParentRoute: () => org,
  path: '/workflows/$id',
  component: lazyPage(() => import('./workflows/workflow-layout.tsx'), 'WorkflowLayout'),
});

const outline = createRoute({
  getParentRoute: () => workflow,
  path: '/',
  validateSearch: (search): OutlineSearch => ({
    version: asNumber(search.version),
    step: asText(search.step),
  }),
  component: lazyPage(() => import('./workflows/outline.page.tsx'), 'OutlinePage'),
});

const versions = createRoute({
  getParentRoute: () => workflow,
  path: '/versions',
  component: lazyPage(() => import('./workflows/versions.page.tsx'), 'VersionsPage'),
});

const compare = createRoute({
  getParentRoute: () => workflow,
  path: '/compare',
  validateSearch: (search): CompareSearch => ({ a: asNumber(search.a), b: asNumber(search.b) }),
  component: lazyPage(() => import('./workflows/compare.page.tsx'), 'ComparePage'),
});

const edit = createRoute({
  getParentRoute: () => workflow,
  path: '/edit',
  validateSearch: (search): EditSearch => ({ version: asNumber(search.version), step: asText(search.step) }),
  component: lazyPage(() => import('./workflows/edit.page.tsx'), 'EditPage', { isAhead: false }),
});

const problems = createRoute({
  getParentRoute: () => org,
  path: '/problems',
  validateSearch: (search): ProblemsSearch => ({ state: asProblemState(search.state) }),
  component: lazyPage(() => import('./problems/problems.page.tsx'), 'ProblemsPage'),
});

const settings = createRoute({
  getParentRoute: () => org,
  path: '/settings',
  beforeLoad: ({ params, location }) => {
    if (/\/settings\/?$/.test(location.pathname)) throw redirect({ to: '/o/$org/settings/general', params });
  },
  component: lazyPage(() => import('./shell/settings-layout.tsx'), 'SettingsLayout'),
});

const general = createRoute({
  getParentRoute: () => settings,
  path: '/general',
  component: lazyPage(() => import('./settings/general.page.tsx'), 'GeneralPage'),
});

const keys = createRoute({
  getParentRoute: () => settings,
  path: '/keys',
  validateSearch: (search): KeysSearch => ({ id: asText(search.id) }),
  component: lazyPage(() => import('./keys/keys.page.tsx'), 'KeysPage'),
});

const members = createRoute({
  getParentRoute: () => settings,
  path: '/members',
  component: lazyPage(() => import('./members/members.page.tsx'), 'MembersPage'),
});

const audit = createRoute({
  getParentRoute: () => settings,
  path: '/audit',
  validateSearch: (search): AuditSearch => ({
    record: asText(search.record),
    actor: asText(search.actor),
    type: asText(search.type),
    last: asTimeRange(search.last),
    from: asInstant(search.from),
    to: asInstant(search.to),
  }),
  component: lazyPage(() => import('./audit/audit.page.tsx'), 'AuditPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    enter,
    signIn,
    signedIn.addChildren([
      home,
      me,
      org.addChildren([
        today,
        triggers,
        trigger,
        deliveries,
        runs,
        run,
        workflows,
        newWorkflow,
        workflow.addChildren([outline, versions, compare, edit]),
        problems,
        settings.addChildren([general, keys, members, audit]),
      ]),
    ]),
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultErrorComponent: LoadFault,
  defaultPendingComponent: PageSkeleton,
  defaultPendingMs: 150,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
