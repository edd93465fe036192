import { type Db, firstRow, newId, onlyRow, statement } from '@relata/db';

export interface Organization {
  id: string;
  name: string;
  created_at: string;
}

const insert = statement<Organization>(
  'organizations.insert',
  'INSERT INTO organizations (id, name) VALUES ($1, $2) RETURNING id, name, created_at',
);

export function createOrganization(db: Db, name: string): Promise<Organization> {
  return onlyRow(db, insert, [newId(), name]);
}

const nameOf = statement<Pick<Organization, 'name'>>(
  'organizations.name',
  'SELECT name FROM organizations WHERE id = $1',
);

export async function findOrganizationName(db: Db, orgId: string): Promise<string | undefined> {
  return (await firstRow(db, nameOf, [orgId]))?.name;
}

/** An organization with the time of its last change, which its event shows. */
export type ChangedOrganization = Organization & { updated_at: string };

const lock = statement<ChangedOrganization>(
  'organizations.lock',
  'SELECT id, name, created_at, updated_at FROM organizations WHERE id = $1 FOR NO KEY UPDATE',
);

/** Locks an organization against other changes; returns undefined if it does not exist. Call it in a transaction. */
export function lockOrganization(db: Db, orgId: string): Promise<ChangedOrganization | undefined> {
  return firstRow(db, lock, [orgId]);
}

const updateName = statement<ChangedOrganization>(
  'organizations.rename',
  `UPDATE organizations SET name = $2, updated_at = now() WHERE id = $1
   RETURNING id, name, created_at, updated_at`,
);

export async function updateOrganizationName(db: Db, orgId: string, name: string): Promise<ChangedOrganization> {
  return (await db.query(updateName, [orgId, name]))[0]!;
}

const list = statement<Organization>(
  'organizations.list',
  'SELECT id, name, created_at FROM organizations ORDER BY id',
);

export function listOrganizations(db: Db): Promise<Organization[]> {
  return db.query(list, []);
}

const findById = statement<Organization>(
  'organizations.find',
  'SELECT id, name, created_at FROM organizations WHERE id::text = $1',
);

export async function findOrganization(db: Db, orgId: string): Promise<Organization | undefined> {
  return (await db.query(findById, [orgId]))[0];
}

const findNamed = statement<Organization>(
  'organizations.find_named',
  'SELECT id, name, created_at FROM organizations WHERE name = $1 ORDER BY id',
);

/** Finds organizations for an operator, by id or by name; several may share a name. */
export async function findOrganizationsNamed(db: Db, nameOrId: string): Promise<Organization[]> {
  const byId = await db.query(findById, [nameOrId.toLowerCase()]);
  return byId.length > 0 ? byId : db.query(findNamed, [nameOrId]);
}
