import type { Knex } from 'knex';
import { scramVerifier } from './scram.ts';

/** The role of the apps, which reads and writes rows and can change nothing else. */
export interface AppRole {
  name: string;
  /** Password of the role if it must be created. */
  password?: string;
  /** True to set the password of an existing role, too. */
  setsPassword?: boolean;
}

/**
 * The role of the apps cannot be created or changed: its password is unknown, or the migrating role lacks the
 * permission.
 */
export class AppRoleError extends Error {
  override name = 'AppRoleError';
}

interface RoleState {
  exists: boolean;
  can_create: boolean;
}

/**
 * Creates the role if it is missing; returns true if it was created. Sets the password of an existing role only if
 * `setsPassword` is true. Roles belong to the whole server, so an existing one may already serve other databases.
 */
export async function ensureAppRole(on: Knex, { name, password, setsPassword = false }: AppRole): Promise<boolean> {
  const { exists, can_create: canCreate } = await findRole(on, name);
  if (exists && !setsPassword) return false;
  if (password === undefined || !(exists || canCreate)) throw new AppRoleError(missingMessage(name, canCreate));
  // Quoted here, since knex would read a dot as the end of a schema's name.
  const role = `"${name.replaceAll('"', '""')}"`;
  await on.raw(`${exists ? 'ALTER' : 'CREATE'} ROLE ${role} LOGIN PASSWORD '${await scramVerifier(password)}'`);
  return !exists;
}

async function findRole(on: Knex, name: string): Promise<RoleState> {
  const { rows } = (await on.raw(
    `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = ?) AS exists, rolsuper OR rolcreaterole AS can_create
     FROM pg_roles WHERE rolname = current_user`,
    [name],
  )) as { rows: [RoleState] };
  return rows[0];
}

function missingMessage(name: string, canCreate: boolean): string {
  const why = canCreate ? 'its password is unknown' : 'the migrating role lacks the permission to create it';
  return `The database has no role "${name}", and ${why}. Create it first: CREATE ROLE "${name}" LOGIN PASSWORD '...';`;
}

/**
 * Grants the role the privileges that the apps need on everything in our schema, and revokes all others. Objects that
 * the current role creates later get the same grants. A role that owns a table keeps the privileges of an owner.
 */
export async function grantToAppRole(on: Knex, { name }: AppRole): Promise<void> {
  const { rows } = (await on.raw(grants, [name])) as { rows: { statement: string }[] };
  if (rows.length > 0) await on.raw(rows.map(({ statement }) => statement).join(';\n'));
}

/**
 * Revokes from `PUBLIC` the right to execute our functions that run with the rights of their owner. PostgreSQL grants
 * this right for each new function, even if a dump is restored without its privileges.
 */
export async function revokeFromPublic(on: Knex): Promise<void> {
  const { rows } = (await on.raw(definersOfPublic)) as { rows: { routine: string }[] };
  for (const { routine } of rows) await on.raw(`REVOKE ALL ON FUNCTION ${routine} FROM PUBLIC`);
}

const definersOfPublic = `
  SELECT routine.oid::regprocedure::text AS routine
  FROM pg_proc routine JOIN pg_namespace home ON home.oid = pronamespace AND nspname = current_schema()
  WHERE prosecdef AND prokind = 'f' AND pg_has_role(proowner, 'USAGE')
    AND has_function_privilege('public', routine.oid, 'EXECUTE')`;

/** Query that returns the statements in order, or none if the role is the current user. */
const grants = `
  WITH app AS (SELECT oid, quote_ident(rolname) AS app FROM pg_roles WHERE rolname = ? AND rolname <> current_user),
    home AS (SELECT oid AS schema_oid, nspowner, quote_ident(nspname) AS home FROM pg_namespace
      WHERE nspname = current_schema()),
    own AS (
      SELECT CASE relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || class.oid::regclass AS own,
        CASE WHEN relkind = 'S' THEN 'USAGE' WHEN relname ~ '^schema_' THEN 'SELECT'
          ELSE 'SELECT, INSERT, UPDATE, DELETE' END AS rights
      FROM pg_class class, home, app
      WHERE relnamespace = schema_oid AND relkind IN ('r', 'p', 'v', 'm', 'S')
        AND pg_has_role(relowner, 'USAGE') AND relowner <> app.oid
    ),
    statements (step, statement) AS (
      SELECT 1, format('REVOKE CREATE, TEMPORARY ON DATABASE %1$I FROM PUBLIC, %2$s; GRANT CONNECT ON DATABASE %1$I TO %2$s',
          datname, app)
        FROM pg_database, app WHERE datname = current_database() AND pg_has_role(datdba, 'USAGE')
      UNION ALL SELECT 2, format('REVOKE CREATE ON SCHEMA %1$s FROM PUBLIC, %2$s; GRANT USAGE ON SCHEMA %1$s TO %2$s',
          home, app)
        FROM home, app WHERE pg_has_role(nspowner, 'USAGE')
      UNION ALL SELECT 3, format('REVOKE ALL ON %1$s FROM %3$s; GRANT %2$s ON %1$s TO %3$s', own, rights, app) FROM own, app
      UNION ALL SELECT 4, format('GRANT EXECUTE ON FUNCTION %s TO %s', routine.oid::regprocedure, app)
        FROM pg_proc routine, home, app
        WHERE pronamespace = schema_oid AND prokind = 'f' AND pg_has_role(proowner, 'USAGE')
          AND NOT EXISTS (SELECT FROM pg_depend WHERE deptype = 'e' AND classid = 'pg_proc'::regclass AND objid = routine.oid)
      UNION ALL SELECT 5, format('ALTER DEFAULT PRIVILEGES IN SCHEMA %s GRANT %s TO %s', home, rights, app)
        FROM home, app, (VALUES ('SELECT, INSERT, UPDATE, DELETE ON TABLES'), ('USAGE ON SEQUENCES'),
          ('EXECUTE ON FUNCTIONS')) AS later (rights)
    )
  SELECT statement FROM statements ORDER BY step`;
