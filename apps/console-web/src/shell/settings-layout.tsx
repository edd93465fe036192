import { Link, Outlet } from '@tanstack/react-router';
import { NotForYou } from './not-found.tsx';
import { useOrg } from './org.ts';
import css from './page.module.css';

const tabs = [
  { to: '/o/$org/settings/keys', name: 'API keys' },
  { to: '/o/$org/settings/members', name: 'Members' },
  { to: '/o/$org/settings/audit', name: 'Audit' },
] as const;

export function SettingsLayout() {
  const org = useOrg();
  if (!org.can('manage'))
    return <NotForYou who={`The settings of ${org.name} are for its admins. Ask one of them to change your role.`} />;
  return (
    <>
      <nav className={css.tabs} aria-label="Organization settings">
        {tabs.map(({ to, name }) => (
          <Link key={to} to={to} params={{ org: org.id }} activeProps={{ 'aria-current': 'page' }}>
            {name}
          </Link>
        ))}
      </nav>
      <Outlet />
    </>
  );
}
