import { getRouteApi } from '@tanstack/react-router';
import { createContext, use } from 'react';
import type { Me, Permission } from '../api/types.ts';

export type Membership = Me['memberships'][number];

export const OrgContext = createContext<Membership | undefined>(undefined);

/** Key in localStorage for the id of the organization opened last. */
export const lastOrgName = 'relata.org';

/**
 * Returns the organization of the address and the permissions of the person. The permissions only hide actions; the
 * server decides.
 */
export function useOrg() {
  const membership = use(OrgContext);
  if (!membership) throw new Error('There is no organization in this address.');
  const { organization, role, permissions } = membership;
  return {
    id: organization.id,
    name: organization.name,
    role,
    can: (permission: Permission) => permissions.includes(permission),
  };
}

/** A link within the organization of the page. */
export const { Link: OrgLink } = getRouteApi('/signed-in/o/$org');
