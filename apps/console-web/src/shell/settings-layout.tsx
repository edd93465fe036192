import { Outlet, useLocation } from '@tanstack/react-router';
import { settingsPages } from './nav.tsx';
import { NotForYou } from './not-found.tsx';
import { OrgLink, useOrg } from './org.ts';
import { Tabs } from './page.tsx';

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
        {settingsPages(isAdmin).map(({ to, name }) => (
          <OrgLink key={to} to={to} activeProps={{ 'aria-current': 'page' }}>
            {name}
          </OrgLink>
        ))}
      </Tabs>
      <Outlet />
    </>
  );
}
