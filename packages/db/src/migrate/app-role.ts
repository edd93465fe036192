import type { Knex } from 'knex';
import { scramVerifier } from './scram.ts';

/** The role that the apps have: it reads and writes rows, and changes nothing else. */
export interface AppRole {
  name: string;
  /** The role is made with it where it is missing. */
  password?: string;
  /** Gives a role that is there this password too. */
  setsPassword?: boolean;
}

/** The role of the apps is missing, and the role that migrates may not make it. */
export class AppRoleError extends Error {
  override name = 'AppRoleError';
}

interface RoleState {
  exists: boolean;
  can_create: boolean;
}

/** Makes the role where it is missing. Roles are of the whole server, so it may serve other databases already. */
export async function ensureAppRole(on: Knex, { name, password, setsPassword = false }: AppRole): Promise<void> {
  const { exists, can_create: canCreate } = await findRole(on, name);
  if (exists && !setsPassword) return;
  if (password === undefined || !(exists || canCreate)) throw new AppRoleError(missingMessage(name, canCreate));
  // Quoted here: knex would take a dot in it for the end of a schema's name.
  const role = `"${name.replaceAll('"', '""')}"`;
  await on.raw(`${exists ? 'ALTER' : 'CREATE'} ROLE ${role} LOGIN PASSWORD '${await scramVerifier(password)}'`);
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
  const why = canCreate ? 'no password for it is known' : 'the role that migrates may not make it';
  return `The database has no role "${name}", and ${why}. Make it first: CREATE ROLE "${name}" LOGIN PASSWORD '...';`;
}

/**
 * Gives the role what the apps need, and takes away what it had beyond that: on all that is in our schema, and on what
 * later migrations of the same owner will make. A role that owns a table keeps what owners have.
 */
export async function grantToAppRole(on: Knex, { name }: AppRole): Promise<void> {
  const { rows } = (await on.raw(grants, [name])) as { rows: { statement: string }[] };
  if (rows.length > 0) await on.raw(rows.map(({ statement }) => statement).join(';\n'));
}

/** Statements, in order; none for a role that we are ourselves. */
const grants = `
  WITH app AS (SELECT oid, quote_ident(rolname) AS app FROM pg_roles WHERE rolname = ? AND rolname <> current_user),
    home AS (SELECT oid AS schema_oid, nspowner, quote_ident(nspname) AS home FROM pg_namespace
      WHERE nspname = current_schema()),
    own AS (
      SELECT CASE relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || class.oid::regclass AS own,
        CASE WHEN relkind = 'S' THEN 'USAGE' WHEN relname ~ '^schema_migrations' THEN 'SELECT'
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
      UNION ALL SELECT 5, format('ALTER DEFAULT PRIVILEGES IN SCHEMA %s GRANT %s TO %s', home, rights, app)
        FROM home, app, (VALUES ('SELECT, INSERT, UPDATE, DELETE ON TABLES'), ('USAGE ON SEQUENCES'),
          ('EXECUTE ON FUNCTIONS')) AS later (rights)
    )
  SELECT statement FROM statements ORDER BY step`;
