import type { TrashApi } from './trash.harness.ts';

const allTables = `SELECT c.oid::regclass::text AS name FROM pg_class c
  WHERE c.relkind IN ('r', 'p', 'm') AND c.relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
  ORDER BY 1`;

/**
 * Finds the tables in which one of the texts occurs, in any letter case and in a column of any type: as text, or in the
 * bytes of a `bytea`. It searches all tables, including tables added in the future.
 */
export async function findTraces(api: Pick<TrashApi, 'sql'>, ...texts: string[]): Promise<string[]> {
  const tables = await api.sql<{ name: string }>(allTables);
  const searches = tables.map(
    ({ name }) => `SELECT '${name}' AS name WHERE EXISTS (
      SELECT FROM ${name} r, unnest($1::text[]) AS given (text)
      WHERE strpos(lower(r::text), lower(text)) > 0 OR strpos(r::text, encode(convert_to(text, 'UTF8'), 'hex')) > 0)`,
  );
  return (await api.sql<{ name: string }>(searches.join(' UNION ALL '), [texts])).map(({ name }) => name);
}
