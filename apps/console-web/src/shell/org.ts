import { getRouteApi } from '@tanstack/react-router';
import { createContext, use } from 'react';
import { call } from '../api/client.ts';
import type { InputHere, InputOf, Me, OperationId, Permission } from '../api/types.ts';

export type Membership = Me['memberships'][number];

export const OrgContext = createContext<Membership | undefined>(undefined);

/**
 * Returns the organization of the address, the permissions of the person, and `call` for operations in the organization.
 * The permissions only hide actions; the server decides.
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
    call: <Id extends OperationId>(operation: Id, input: InputHere<Id>, signal?: AbortSignal) =>
      call(operation, { ...input, params: { org: organization.id, ...input.params } } as InputOf<Id>, signal),
  };
}

/** A link within the organization of the page. */
export const { Link: OrgLink } = getRouteApi('/signed-in/o/$org');
