import { Link, useNavigate } from '@tanstack/react-router';
import { Activity, ArrowLeft, Inbox, Settings, Sun, Trash2, TriangleAlert, Webhook, Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import { areShortcutsOn, useShortcut } from '../ui/shortcuts.ts';
import { OrgLink, useOrg } from './org.ts';
import css from './frame.module.css';

/**
 * The sections of an organization, in the order of the menu. `g` and the first letter open a section. Today uses `g h`
 * (home) and Trash `g x`, because `t` is taken by Triggers.
 */
export const sections = [
  { to: '/o/$org', name: 'Today', key: 'h', icon: Sun },
  { to: '/o/$org/triggers', name: 'Triggers', key: 't', icon: Webhook },
  { to: '/o/$org/deliveries', name: 'Deliveries', key: 'd', icon: Inbox },
  { to: '/o/$org/runs', name: 'Runs', key: 'r', icon: Activity },
  { to: '/o/$org/workflows', name: 'Workflows', key: 'w', icon: Workflow },
  { to: '/o/$org/problems', name: 'Problems', key: 'p', icon: TriangleAlert },
  { to: '/o/$org/trash', name: 'Trash', key: 'x', icon: Trash2 },
  { to: '/o/$org/settings/general', name: 'Settings', key: 's', icon: Settings },
] as const;

const adminPages = [
  { to: '/o/$org/settings/keys', name: 'API keys' },
  { to: '/o/$org/settings/members', name: 'Members' },
  { to: '/o/$org/settings/audit', name: 'Audit log' },
] as const;

/** Returns the pages of the settings; the first is for everybody. */
export const settingsPages = (isAdmin: boolean) => [
  { to: '/o/$org/settings/general', name: 'General' } as const,
  ...(isAdmin ? adminPages : []),
];

type Section = (typeof sections)[number];

export function BackLink() {
  return (
    <Link to="/" className={css.navLink}>
      <ArrowLeft size={15} aria-hidden />
      Back
    </Link>
  );
}

export function OrgNav() {
  return sections.map((section) => <SectionLink key={section.to} section={section} />);
}

function SectionLink({ section: { to, name, key, icon: Icon } }: { section: Section }): ReactNode {
  const { id } = useOrg();
  const navigate = useNavigate();
  useShortcut(`g ${key}`, `Go to ${name}`, () => void navigate({ to, params: { org: id } }));
  return (
    <OrgLink
      to={name === 'Settings' ? '/o/$org/settings' : to}
      className={css.navLink}
      activeProps={{ 'data-current': true, 'aria-current': 'page' }}
      activeOptions={{ exact: name === 'Today', includeSearch: false }}
      aria-keyshortcuts={`g ${key}`}
    >
      <Icon size={15} aria-hidden />
      {name}
      {areShortcutsOn() && (
        <kbd aria-hidden className={css.navKey}>
          g {key}
        </kbd>
      )}
    </OrgLink>
  );
}
