import { type Database, statement } from '@relata/db';

const cutoff = (ms: string) => `now() - make_interval(secs => ${ms}::float8 / 1000)`;

/** Finds organizations with expired entries, with one look into `trash_age` each. */
const listOrganizations = statement<{ id: string }>(
  'trash.organizations_with_old',
  `SELECT o.id FROM organizations o WHERE EXISTS (
     SELECT FROM trash t WHERE t.org_id = o.id AND t.record IS NOT NULL AND t.deleted_at < ${cutoff('$1')})`,
);

/**
 * Purges the oldest expired entries. The entry of a merged record stays without its content, since it says where the
 * record went. Entries that are being restored are skipped.
 */
const purgeOldest = statement<{ purged: number }>(
  'trash.purge_oldest',
  `WITH old AS MATERIALIZED (
     SELECT id, merged_into FROM trash
     WHERE org_id = $1 AND record IS NOT NULL AND deleted_at < ${cutoff('$2')}
     ORDER BY deleted_at, id LIMIT 1000 FOR UPDATE SKIP LOCKED
   ), links AS (
     DELETE FROM trash_links WHERE org_id = $1 AND id = ANY (ARRAY(SELECT id FROM old))
   ), emptied AS (
     UPDATE trash SET record = NULL WHERE org_id = $1 AND id = ANY (ARRAY(SELECT id FROM old WHERE merged_into IS NOT NULL))
   ), purged AS (
     DELETE FROM trash WHERE org_id = $1 AND id = ANY (ARRAY(SELECT id FROM old WHERE merged_into IS NULL))
   )
   SELECT count(*)::integer AS purged FROM old`,
);

/** Rows per statement, so that it ends within a second. Must equal the limit in `purgeOldest`. */
const batchRows = 1_000;

/** Statements for one organization per sweep: a million entries. The next sweep purges the rest. */
const batchesMax = 1_000;

/**
 * Purges entries of the trash that are older than `olderThanMs` by the database's clock, without events, and returns
 * their number. Organizations take turns, one statement each.
 */
export async function purgeTrash(database: Database, olderThanMs: number, signal?: AbortSignal): Promise<number> {
  let total = 0;
  let left = (await database.query(listOrganizations, [olderThanMs])).map(({ id }) => id);
  for (let batch = 0; batch < batchesMax && left.length > 0; batch++) {
    const more: string[] = [];
    for (const id of left) {
      signal?.throwIfAborted();
      const [row] = await database.query(purgeOldest, [id, olderThanMs]);
      total += row!.purged;
      if (row!.purged === batchRows) more.push(id);
    }
    left = more;
  }
  return total;
}
