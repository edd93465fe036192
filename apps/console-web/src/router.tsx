import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { ApiFailure } from './api/failure.ts';
import { meQuery, queryClient } from './api/queries.ts';
import {
  deliveriesSearch,
  number,
  oneOf,
  problemStates,
  runsSearch,
  search,
  text,
  times,
  triggerTabs,
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
  validateSearch: search({ to: text }),
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
  validateSearch: search({
    tab: oneOf(triggerTabs),
    /** The workflow that is mapped to. */
    workflow: text,
    /** The delivery whose values are mapped from; the newest unless given. */
    delivery: text,
  }),
  component: lazyPage(() => import('./triggers/trigger.page.tsx'), 'TriggerPage'),
});

const deliveries = createRoute({
  getParentRoute: () => org,
  path: '/deliveries',
  validateSearch: deliveriesSearch,
  component: lazyPage(() => import('./deliveries/deliveries.page.tsx'), 'DeliveriesPage'),
});

const runs = createRoute({
  getParentRoute: () => org,
  path: '/runs',
  validateSearch: runsSearch,
  component: lazyPage(() => import('./runs/runs.page.tsx'), 'RunsPage'),
});

const run = createRoute({
  getParentRoute: () => org,
  path: '/runs/$id',
  /** The path of the step that is shown; the one that failed unless given. */
  validateSearch: search({ step: text }),
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
  /** The version, the newest unless given, and the place of the step that is marked: `each.contact`. */
  validateSearch: search({ version: number, step: text }),
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
  validateSearch: search({ a: number, b: number }),
  component: lazyPage(() => import('./workflows/compare.page.tsx'), 'ComparePage'),
});

const edit = createRoute({
  getParentRoute: () => workflow,
  path: '/edit',
  /** The version whose text to begin with, the newest unless given, and the place of the step that is selected. */
  validateSearch: search({ version: number, step: text }),
  component: lazyPage(() => import('./workflows/edit.page.tsx'), 'EditPage', { isAhead: false }),
});

const problems = createRoute({
  getParentRoute: () => org,
  path: '/problems',
  validateSearch: search({ state: oneOf(problemStates) }),
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
  /** The key that is marked in the list. */
  validateSearch: search({ id: text }),
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
  validateSearch: search({
    ...times,
    /** Id of a record. */
    record: text,
    /** Id of a key, a run or a user. */
    actor: text,
    /** A kind of record. */
    type: text,
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
