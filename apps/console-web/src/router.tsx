import { type AnyRoute, createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { ApiFailure } from './api/failure.ts';
import { meQuery, queryClient } from './api/queries.ts';
import {
  deliveriesSearch,
  number,
  oneOf,
  type Parsers,
  problemStates,
  runsSearch,
  search,
  text,
  times,
  trashSearch,
  triggerSearch,
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
});

/** Declares a page that has a script of its own, and its search parameters. */
function page<Parent extends AnyRoute, const Path extends string, Name extends string, Parameters extends Parsers>(
  parent: Parent,
  path: Path,
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
  parameters = {} as Parameters,
) {
  const validateSearch = search(parameters);
  return createRoute({ getParentRoute: () => parent, path, validateSearch, component: lazyPage(load, name) });
}

const enter = page(root, '/enter', () => import('./people/enter.page.tsx'), 'EnterPage');
const signIn = page(root, '/sign-in', () => import('./people/sign-in.page.tsx'), 'SignInPage', { to: text });

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

const home = page(signedIn, '/', () => import('./people/home.page.tsx'), 'HomePage');
const me = page(signedIn, '/me', () => import('./people/me.page.tsx'), 'MePage');
const org = createRoute({ getParentRoute: () => signedIn, path: '/o/$org', component: OrgLayout });
const today = page(org, '/', () => import('./today/today.page.tsx'), 'TodayPage');
const triggers = page(org, '/triggers', () => import('./triggers/triggers.page.tsx'), 'TriggersPage');

const trigger = page(org, '/triggers/$id', () => import('./triggers/trigger.page.tsx'), 'TriggerPage', triggerSearch);

const deliveries = page(
  org,
  '/deliveries',
  () => import('./deliveries/deliveries.page.tsx'),
  'DeliveriesPage',
  deliveriesSearch,
);

const runs = page(org, '/runs', () => import('./runs/runs.page.tsx'), 'RunsPage', runsSearch);

/** Page of a run. `step` is the path of the selected step, by default the failed one. */
const run = page(org, '/runs/$id', () => import('./runs/run.page.tsx'), 'RunPage', { step: text });
const workflows = page(org, '/workflows', () => import('./workflows/workflows.page.tsx'), 'WorkflowsPage');

const newWorkflow = createRoute({
  getParentRoute: () => org,
  path: '/workflows/new',
  component: lazyPage(() => import('./workflows/new-workflow.page.tsx'), 'NewWorkflowPage', { isAhead: false }),
});

const workflow = page(org, '/workflows/$id', () => import('./workflows/workflow-layout.tsx'), 'WorkflowLayout');

/** Overview of a workflow version, by default the newest. `step` is the path of the marked step: `each.contact`. */
const outline = page(workflow, '/', () => import('./workflows/outline.page.tsx'), 'OutlinePage', {
  version: number,
  step: text,
});

const versions = page(workflow, '/versions', () => import('./workflows/versions.page.tsx'), 'VersionsPage');

const compare = page(workflow, '/compare', () => import('./workflows/compare.page.tsx'), 'ComparePage', {
  a: number,
  b: number,
});

const edit = createRoute({
  getParentRoute: () => workflow,
  path: '/edit',
  /** `version` is the version whose text to edit, by default the newest. `step` is the path of the selected step. */
  validateSearch: search({ version: number, step: text }),
  component: lazyPage(() => import('./workflows/edit.page.tsx'), 'EditPage', { isAhead: false }),
});

const problems = page(org, '/problems', () => import('./problems/problems.page.tsx'), 'ProblemsPage', {
  state: oneOf(problemStates),
});

const trash = page(org, '/trash', () => import('./trash/trash.page.tsx'), 'TrashPage', trashSearch);

const settings = createRoute({
  getParentRoute: () => org,
  path: '/settings',
  beforeLoad: ({ params, location }) => {
    if (/\/settings\/?$/.test(location.pathname)) throw redirect({ to: '/o/$org/settings/general', params });
  },
  component: lazyPage(() => import('./shell/settings-layout.tsx'), 'SettingsLayout'),
});

const general = page(settings, '/general', () => import('./settings/general.page.tsx'), 'GeneralPage');

/** List of API keys. `id` is the id of the marked key. */
const keys = page(settings, '/keys', () => import('./keys/keys.page.tsx'), 'KeysPage', { id: text });
const members = page(settings, '/members', () => import('./members/members.page.tsx'), 'MembersPage');

const audit = page(settings, '/audit', () => import('./audit/audit.page.tsx'), 'AuditPage', {
  ...times,
  record: text,
  /** Id of a key, a run or a user. */
  actor: text,
  type: text,
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
        trash,
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
