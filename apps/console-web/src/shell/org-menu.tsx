import { useLocation, useNavigate } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useMe } from '../api/queries.ts';
import { useShortcut } from '../ui/shortcuts.ts';
import type { Membership } from './org.ts';
import css from './frame.module.css';

const Menu = lazy(() => import('../ui/overlay/menu.tsx'));

/** Switches to another organization, in the same section. */
export function OrgMenu({ current }: { current: Membership | undefined }) {
  const { memberships } = useMe();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  useShortcut('g o', 'Switch organization', () => setOpen(true));
  const name = current?.organization.name ?? 'Organizations';
  const face = (
    <>
      <span>{name}</span>
      <ChevronDown size={14} aria-hidden />
    </>
  );
  const go = ({ organization }: Membership) =>
    void navigate({ to: sectionOf(pathname).replace('$org', organization.id) });
  return (
    <Suspense fallback={<span className={css.org}>{face}</span>}>
      <Menu
        label={`Organization: ${name}`}
        className={css.org}
        trigger={face}
        isOpen={isOpen}
        onOpenChange={setOpen}
        items={memberships.map((membership) => ({
          name: membership.organization.name,
          hint: membership.role ?? 'operator',
          isCurrent: membership.organization.id === current?.organization.id,
          run: () => go(membership),
        }))}
      />
    </Suspense>
  );
}

/** Returns the section of a page. A record belongs to one organization, so switching keeps only the section. */
function sectionOf(pathname: string): string {
  const [, section, ...rest] = /^\/o\/[^/]+(?:\/(\w+)(?:\/(\w+))?)?/.exec(pathname) ?? [];
  if (!section) return '/o/$org';
  return section === 'settings' && rest[0] ? `/o/$org/settings/${rest[0]}` : `/o/$org/${section}`;
}
