import { Link, Outlet, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useLiveChanges } from '../api/live.ts';
import { forgetAllButMe, useMe } from '../api/queries.ts';
import { NotFoundHere } from './not-found.tsx';
import { lastOrgName } from './last-org.ts';
import { type Membership, OrgContext } from './org.ts';
import { Frame } from './frame.tsx';
import { OrgNav } from './nav.tsx';
import { SignOut } from '../people/sign-out.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { Page, Panel } from './page.tsx';

/** Layout of all pages below `/o/{org}`, for members of the organization. */
export function OrgLayout() {
  const { org } = useParams({ from: '/signed-in/o/$org' });
  const { memberships } = useMe();
  const membership = memberships.find(({ organization }) => organization.id === org);
  useEffect(() => {
    if (membership) localStorage.setItem(lastOrgName, org);
  }, [membership, org]);
  useLiveChanges(membership && org);
  const [last, setLast] = useState(membership);
  if (membership && membership !== last) setLast(membership);
  if (!membership) return last?.organization.id === org ? <AccessEnded {...last} /> : <NotFoundHere />;
  return (
    <OrgContext value={membership} key={org}>
      <Frame nav={<OrgNav />} current={membership}>
        <Outlet />
      </Frame>
    </OrgContext>
  );
}

/** Replaces all pages of an organization for a person who lost access while a page was open. */
function AccessEnded({ organization: { id, name } }: Membership) {
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
            <p>
              You are no longer a member of this organization. If this is a mistake, ask an admin to invite you again.
            </p>
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
