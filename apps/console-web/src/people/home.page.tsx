import { Navigate } from '@tanstack/react-router';
import { useMe } from '../api/queries.ts';
import { Frame } from '../shell/frame.tsx';
import { Page } from '../shell/page.tsx';
import { lastOrgName } from '../shell/org.ts';
import { Empty } from '../ui/data/empty.tsx';

/** Opens the organization that was used last in this browser, else the first. */
export function HomePage() {
  const { memberships } = useMe();
  const last = localStorage.getItem(lastOrgName);
  const found = memberships.find(({ organization }) => organization.id === last) ?? memberships[0];
  if (found) return <Navigate to="/o/$org" params={{ org: found.organization.id }} replace />;
  return (
    <Frame nav={null}>
      <Page title="No organization">
        <Empty title="You are a member of no organization.">
          <p>An admin of one invites you, under Members of its settings.</p>
        </Empty>
      </Page>
    </Frame>
  );
}
