import type { Link, IncomingLink } from '../links/links.ts';
import { relinks } from '../links/relink.sql.ts';

/** Removes ids from the links of other records, and keeps the links for a restore. */
export const unlinks = relinks({ name: 'unlink', valueOf: withoutIds, also: keptLinks });

/** Removes ids from the links of other records for good. */
export const clearsLinks = relinks({ name: 'clear', valueOf: withoutIds });

/**
 * Returns SQL for a link without the ids. The ids come from a subquery because PostgreSQL hashes its result; it would
 * compare the elements of an array parameter one by one.
 */
function withoutIds({ name, isList }: Link): string {
  return isList
    ? `ARRAY(SELECT each.id FROM unnest(old.${name}) WITH ORDINALITY AS each (id, n)
        WHERE each.id NOT IN (SELECT unnest($7::uuid[])) ORDER BY each.n)`
    : `CASE WHEN old.${name} NOT IN (SELECT unnest($7::uuid[])) THEN old.${name} END`;
}

function keptLinks({ table, links }: IncomingLink): string {
  const each = links.map(({ name, isList }) => {
    const linked = isList
      ? `unnest(c.${name}) WITH ORDINALITY AS linked (id, n)`
      : `(SELECT c.${name} AS id, 1 AS n) AS linked`;
    const preceding = isList ? `c.${name}[:linked.n - 1]` : `'{}'::uuid[]`;
    return `SELECT $1::uuid, linked.id, '${table.name}', c.id, '${name}', ${preceding}
      FROM changed c CROSS JOIN LATERAL ${linked} WHERE linked.id = ANY ($7::uuid[])`;
  });
  return `kept_links AS (
      INSERT INTO trash_links (org_id, id, resource, record_id, field, preceding) ${each.join(' UNION ALL ')}
    )`;
}
