import { Outlet, useLocation, useParams } from '@tanstack/react-router';
import { OrgLink, useOrg } from '../shell/org.ts';
import { Page, Tabs } from '../shell/page.tsx';
import { LoadedRecord } from '../ui/data/loaded.tsx';
import { useWorkflow } from './use-workflow.ts';

const tabs = [
  { to: '/o/$org/workflows/$id', name: 'Overview' },
  { to: '/o/$org/workflows/$id/versions', name: 'Versions' },
  { to: '/o/$org/workflows/$id/compare', name: 'Compare' },
] as const;

const editTab = { to: '/o/$org/workflows/$id/edit', name: 'Edit' } as const;

export function WorkflowLayout() {
  const { id } = useParams({ from: '/signed-in/o/$org/workflows/$id' });
  const workflow = useWorkflow(id);
  return (
    <LoadedRecord query={workflow}>
      {({ data: { name, newest_version: version } }) => (
        <Page title={name} intro={`Workflow, version ${version}`}>
          <WorkflowTabs id={id} />
          <Outlet />
        </Page>
      )}
    </LoadedRecord>
  );
}

function WorkflowTabs({ id }: { id: string }) {
  const org = useOrg();
  const { pathname } = useLocation();
  return (
    <Tabs label="Workflow" current={pathname}>
      {[...tabs, ...(org.can('manage') ? [editTab] : [])].map(({ to, name }) => (
        <OrgLink
          key={to}
          to={to}
          params={{ id }}
          activeProps={{ 'aria-current': 'page' }}
          activeOptions={{ exact: true, includeSearch: false }}
        >
          {name}
        </OrgLink>
      ))}
    </Tabs>
  );
}
