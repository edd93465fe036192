import { Navigate } from '@tanstack/react-router';
import { refresh, useMe } from '../api/queries.ts';
import { Frame } from '../shell/frame.tsx';
import { Page } from '../shell/page.tsx';
import { lastOrgName } from '../shell/last-org.ts';
import { ShellCommand } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { ActionButton } from '../ui/controls/action-button.tsx';
import { Empty } from '../ui/data/empty.tsx';

/** Opens the organization that was used last in this browser, or the first one. */
export function HomePage() {
  const { memberships, person } = useMe();
  const last = localStorage.getItem(lastOrgName);
  const found = memberships.find(({ organization }) => organization.id === last) ?? memberships[0];
  if (found) return <Navigate to="/o/$org" params={{ org: found.organization.id }} replace />;
  return (
    <Frame nav={null}>
      <Page title="No organization">{person.is_operator ? <NoOrganization /> : <NoMembership />}</Page>
    </Frame>
  );
}

function NoMembership() {
  return (
    <Empty title="You are not a member of any organization">
      <p>Ask an admin to invite you, under Settings, Members.</p>
    </Empty>
  );
}

/** Shown to an operator, who sees all organizations, if none exists. */
function NoOrganization() {
  return (
    <Empty title="No organizations yet">
      <p>You are an operator of this installation. Create the first organization with the CLI:</p>
      <ShellCommand>{relata('orgs', 'create', 'NAME')}</ShellCommand>
      <ActionButton run={() => refresh('getMe')}>Refresh</ActionButton>
    </Empty>
  );
}
