import { readWith, statement } from '@relata/db';

interface NewDatabase {
  exists: boolean;
  comment: string | null;
  can_create: boolean;
  /** Major version of the server. */
  major: number;
  /** Names of the extensions that this role may create. */
  extensions: string[];
}

/** Parameter: the name of a database. */
export const readDatabase = readWith<NewDatabase, [name: string]>(
  'restore.database',
  `SELECT d.oid IS NOT NULL AS exists, shobj_description(d.oid, 'pg_database') AS comment,
     rolcreatedb OR rolsuper AS can_create, current_setting('server_version_num')::int / 10000 AS major,
     ARRAY(SELECT DISTINCT name::text FROM pg_available_extension_versions v WHERE trusted OR NOT v.superuser OR rolsuper)
       AS extensions
   FROM pg_roles LEFT JOIN pg_database d ON d.datname = $1 WHERE rolname = current_user`,
);

/**
 * Returns the SQL that creates a database. The name contains no quotation marks, but may be a reserved word. The
 * properties are in the form that `pg_dump` writes.
 */
export const createDatabase = (name: string, properties: string) =>
  statement<never>('', `CREATE DATABASE "${name}" WITH ${properties}`);

export const dropDatabase = (name: string) => statement<never>('', `DROP DATABASE "${name}" WITH (FORCE)`);

export const commentDatabase = (name: string, text: string) =>
  statement<never>('', `COMMENT ON DATABASE "${name}" IS '${text.replaceAll("'", "''")}'`);
