import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { forgetAllButMe, useMe } from '../api/queries.ts';
import { SignOut } from '../people/sign-out.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { Frame } from './frame.tsx';
import { lastOrgName, type Membership } from './org.ts';
import { Page, Panel } from './page.tsx';

/** Replaces all pages of an organization for a person who is removed while they have one open. */
export function AccessEnded({ organization: { id, name } }: Membership) {
  const { memberships } = useMe();
  useEffect(() => {
    forgetAllButMe();
    if (localStorage.getItem(lastOrgName) === id) localStorage.removeItem(lastOrgName);
  }, [id]);
  return (
    <Frame nav={null}>
      <Page title={`You no longer have access to ${name}`} actions={<SignOut />}>
        <Panel>
          <Empty>
            <p>An admin removed you from this organization. If this is a mistake, ask to be invited again.</p>
            {memberships.map(({ organization }) => (
              <Link key={organization.id} to="/o/$org" params={{ org: organization.id }}>
                Go to {organization.name}
              </Link>
            ))}
          </Empty>
        </Panel>
      </Page>
    </Frame>
  );
}
