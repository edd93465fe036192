import { type Db, listWith, statement } from '@relata/db';
import { type IncomingLink, type Link, memoizePerLink, statementName } from '../links/links.ts';
import { keptLinksIn, relinks } from '../links/relink.sql.ts';
import { storedReference } from './stored-record.sql.ts';

/** A reference that a restore did not bring back: the id `value`, which the field of the record `id` now lacks. */
export interface Dropped {
  id: string;
  field: string;
  value: string;
}

/**
 * Puts restored ids back into the links of other records. A field with a single id keeps its current id, if it has one.
 */
export const putsBack = relinks({ name: 'put_back', readsKept: true, valueOf: withIds });

function withIds({ name, isList, listMax }: Link): string {
  const kept = `FROM ${keptLinksIn('old', name)} l WHERE l.id = ANY ($7::uuid[])`;
  if (!isList) return `coalesce(old.${name}, (SELECT l.id ${kept} LIMIT 1))`;
  const links = `coalesce((SELECT array_agg(ROW(l.*)::trash_links ORDER BY cardinality(l.preceding)) ${kept}), '{}')`;
  return `put_back(old.${name}, ${links}, ${listMax})`;
}

/** Finds at most `limit` records of a table that referred to some of the deleted ids. */
export const findFormer = listWith<
  { id: string },
  [orgId: string, ids: readonly string[], table: string, fields: readonly string[], limit: number]
>(
  'trash_links.find_former',
  `SELECT DISTINCT record_id AS id FROM trash_links
   WHERE org_id = $1 AND id = ANY ($2::uuid[]) AND resource = $3 AND field = ANY ($4::text[]) LIMIT $5`,
);

const findingFull = memoizePerLink((referrer) =>
  statement<Dropped>(statementName(referrer, 'full_lists'), fullSql(referrer)),
);

/**
 * Returns the restored ids that were not put back into lists because the lists are full. After the undo of a merge,
 * only lists that still have the winner count, since links that were removed or moved since the merge must not come
 * back. The lists of records in the trash are included then.
 */
export async function findFull(
  db: Db,
  orgId: string,
  referrer: IncomingLink,
  ids: readonly string[],
  winnerId: string | null,
): Promise<Dropped[]> {
  if (!referrer.links.some(({ isList }) => isList)) return [];
  return db.query(findingFull(referrer), [orgId, ids, winnerId]);
}

function fullSql({ table, links }: IncomingLink): string {
  return links
    .filter(({ isList }) => isList)
    .flatMap(({ name }) => {
      const list = table.derived[name] ?? `r.${name}`;
      const trashedList = storedReference('t', name);
      const dropped = 'SELECT l.record_id AS id, l.field, l.id AS value FROM trash_links l';
      const isKept = `l.org_id = $1 AND l.id = ANY ($2::uuid[]) AND l.resource = '${table.name}' AND l.field = '${name}'`;
      return [
        `${dropped} JOIN ${table.name} r ON r.org_id = l.org_id AND r.id = l.record_id
         WHERE ${isKept} AND (l.had_winner IS NULL OR $3::uuid = ANY (${list})) AND l.id <> ALL (${list})`,
        `${dropped} JOIN trash t ON t.org_id = l.org_id AND t.id = l.record_id
         WHERE ${isKept} AND l.had_winner IS NOT NULL AND ${trashedList} @> to_jsonb($3::uuid)
           AND NOT ${trashedList} @> to_jsonb(l.id)`,
      ];
    })
    .join(' UNION ALL ');
}

/** Deletes the kept links of other records to restored records. */
export const dropLinks = listWith<never, [orgId: string, ids: readonly string[]]>(
  'trash_links.drop',
  'DELETE FROM trash_links WHERE org_id = $1 AND id = ANY ($2::uuid[])',
);
