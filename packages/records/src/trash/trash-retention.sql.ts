import { type Database, type Db, onlyRow, statement } from '@relata/db';
import { tryEach } from '@relata/runtime';
import { keepsWinner } from '../merge/move-links.sql.ts';

const cutoff = (ms: string) => `now() - make_interval(secs => ${ms}::float8 / 1000)`;

/** Finds organizations with expired entries, with one look-up in the index `trash_age` for each. */
const listOrganizations = statement<{ id: string }>(
  'trash.organizations_with_old',
  `SELECT o.id FROM organizations o WHERE EXISTS (
     SELECT FROM trash t WHERE t.org_id = o.id AND t.record IS NOT NULL AND t.deleted_at < ${cutoff('$1')})`,
);

/** Limits of a statement, so that it ends within a second. The links of one entry are never split. */
const entriesMax = 1_000;
const linksMax = 10_000;

/**
 * Purges the oldest expired entries. The entry of a merged record stays without its content, since it leads to the
 * winner. Its links stay with the winner, even if another loser that was in the same list is restored. Entries that are
 * being restored are skipped.
 */
const purgeOldest = statement<{ purged: number; has_more: boolean }>(
  'trash.purge_oldest',
  `WITH oldest AS MATERIALIZED (
     SELECT id, merged_into FROM trash
     WHERE org_id = $1 AND record IS NOT NULL AND deleted_at < ${cutoff('$2')}
     ORDER BY deleted_at, id LIMIT ${entriesMax} FOR UPDATE SKIP LOCKED
   ), counted AS MATERIALIZED (
     SELECT o.id, row_number() OVER () AS n FROM oldest o
     CROSS JOIN LATERAL (SELECT FROM trash_links l WHERE l.org_id = $1 AND l.id = o.id LIMIT ${linksMax} + 1) each
     LIMIT ${linksMax} + 1
   ), old AS MATERIALIZED (
     SELECT * FROM oldest WHERE (SELECT count(*) FROM counted) <= ${linksMax}
       OR id IN (SELECT id FROM counted GROUP BY id HAVING max(n) <= ${linksMax} OR min(n) = 1)
   ), links AS (
     DELETE FROM trash_links WHERE org_id = $1 AND id = ANY (ARRAY(SELECT id FROM old)) RETURNING id, record_id, field
   ), kept AS (
     ${keepsWinner(
       '(SELECT l.record_id, l.field, p.merged_into FROM links l JOIN old p ON p.id = l.id AND p.merged_into IS NOT NULL)',
       'o.id <> ALL (ARRAY(SELECT id FROM old))',
     )}
   ), emptied AS (
     UPDATE trash SET record = NULL, relinked = NULL WHERE org_id = $1 AND id = ANY (ARRAY(SELECT id FROM old WHERE merged_into IS NOT NULL))
   ), purged AS (
     DELETE FROM trash WHERE org_id = $1 AND id = ANY (ARRAY(SELECT id FROM old WHERE merged_into IS NULL))
   )
   SELECT (SELECT count(*) FROM old)::integer AS purged,
     (SELECT count(*) FROM oldest) = ${entriesMax} OR (SELECT count(*) FROM oldest) > (SELECT count(*) FROM old) AS has_more`,
);

/** Maximum number of statements per organization and sweep: a million entries. The next sweep purges the rest. */
const batchesMax = 1_000;

/**
 * Purges entries of the trash that are older than `olderThanMs` by the database's clock, without events, and returns
 * their number. Organizations take turns, one statement each. If it fails for one organization, it continues with the
 * others, and throws the first error at the end.
 */
export async function purgeTrash(database: Database, olderThanMs: number, signal?: AbortSignal): Promise<number> {
  let total = 0;
  const organizations = await database.query(listOrganizations, [olderThanMs]);
  const turns = new Set(organizations.map(({ id }) => ({ id, batches: 0 })));
  const purge = async (turn: { id: string; batches: number }) => {
    signal?.throwIfAborted();
    turns.delete(turn);
    const { purged, has_more: hasMore } = await onlyRow(database, purgeOldest, [turn.id, olderThanMs]);
    total += purged;
    if (hasMore && ++turn.batches < batchesMax) turns.add(turn);
  };
  await tryEach(turns, purge, signal);
  return total;
}

/** Finds for how many seconds the oldest entry has been overdue. */
const overdue = statement<{ seconds: number }>(
  'trash.overdue',
  `SELECT coalesce(extract(epoch FROM ${cutoff('$1')} - min(oldest.deleted_at)), 0)::float8 AS seconds
   FROM organizations o CROSS JOIN LATERAL (
     SELECT t.deleted_at FROM trash t WHERE t.org_id = o.id AND t.record IS NOT NULL ORDER BY t.deleted_at, t.id LIMIT 1
   ) oldest
   WHERE oldest.deleted_at < ${cutoff('$1')}`,
);

/** Returns for how many seconds the purge of the oldest entry of the trash has been overdue; 0 if none is. */
export async function findOverdueTrash(db: Db, olderThanMs: number): Promise<number> {
  return (await onlyRow(db, overdue, [olderThanMs])).seconds;
}
