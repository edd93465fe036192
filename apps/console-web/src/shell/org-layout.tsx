import { Outlet, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useLiveChanges } from '../api/live.ts';
import { useMe } from '../api/queries.ts';
import { AccessEnded } from './access-ended.tsx';
import { NotFoundHere } from './not-found.tsx';
import { lastOrgName, OrgContext } from './org.ts';
import { Frame } from './frame.tsx';
import { OrgNav } from './nav.tsx';

/** Everything below `/o/{org}`: the person must be let into the organization. */
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
