import { type Db, findValueWith, findWith, listWith, newId, readWith } from '@relata/db';

export interface Organization {
  id: string;
  name: string;
  created_at: string;
}

const insert = readWith<Organization, [id: string, name: string]>(
  'organizations.insert',
  'INSERT INTO organizations (id, name) VALUES ($1, $2) RETURNING id, name, created_at',
);

export function createOrganization(db: Db, name: string): Promise<Organization> {
  return insert(db, newId(), name);
}

export const findOrganizationName = findValueWith<string, [orgId: string]>(
  'organizations.name',
  'SELECT name FROM organizations WHERE id = $1',
);

/** An organization with the time of its last change, which its event shows. */
export type ChangedOrganization = Organization & { updated_at: string };

/** Locks an organization against other changes; returns undefined if it does not exist. Call it in a transaction. */
export const lockOrganization = findWith<ChangedOrganization, [orgId: string]>(
  'organizations.lock',
  'SELECT id, name, created_at, updated_at FROM organizations WHERE id = $1 FOR NO KEY UPDATE',
);

export const updateOrganizationName = readWith<ChangedOrganization, [orgId: string, name: string]>(
  'organizations.rename',
  `UPDATE organizations SET name = $2, updated_at = now() WHERE id = $1
   RETURNING id, name, created_at, updated_at`,
);

export const listOrganizations = listWith<Organization>(
  'organizations.list',
  'SELECT id, name, created_at FROM organizations ORDER BY id',
);

export const findOrganization = findWith<Organization, [orgId: string]>(
  'organizations.find',
  'SELECT id, name, created_at FROM organizations WHERE id::text = $1',
);

const listNamed = listWith<Organization, [name: string]>(
  'organizations.find_named',
  'SELECT id, name, created_at FROM organizations WHERE name = $1 ORDER BY id',
);

/** Finds organizations for an operator, by id or by name; several may share a name. */
export async function findOrganizationsNamed(db: Db, nameOrId: string): Promise<Organization[]> {
  const byId = await findOrganization(db, nameOrId.toLowerCase());
  return byId ? [byId] : listNamed(db, nameOrId);
}
