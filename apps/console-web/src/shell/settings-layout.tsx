import { Outlet, useLocation } from '@tanstack/react-router';
import { NotForYou } from './not-found.tsx';
import { OrgLink, useOrg } from './org.ts';
import { Tabs } from './page.tsx';

const tabs = [
  { to: '/o/$org/settings/general', name: 'General' },
  { to: '/o/$org/settings/keys', name: 'API keys' },
  { to: '/o/$org/settings/members', name: 'Members' },
  { to: '/o/$org/settings/audit', name: 'Audit log' },
] as const;

export function SettingsLayout() {
  const org = useOrg();
  const { pathname } = useLocation();
  const isAdmin = org.can('manage');
  const isGeneral = pathname.endsWith('/general');
  if (!isAdmin && !isGeneral)
    return (
      <NotForYou
        who={`Only admins of ${org.name} can open these settings. To get access, ask one of them to change your role.`}
      />
    );
  return (
    <>
      <Tabs label="Organization settings" current={pathname}>
        {tabs.slice(0, isAdmin ? undefined : 1).map(({ to, name }) => (
          <OrgLink key={to} to={to} activeProps={{ 'aria-current': 'page' }}>
            {name}
          </OrgLink>
        ))}
      </Tabs>
      <Outlet />
    </>
  );
}
