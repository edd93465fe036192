import type { Link } from '../links/links.ts';
import { keepsLinks, relinks } from '../links/relink.sql.ts';

/** Removes ids from the links of other records, and keeps the links for a restore. */
export const unlinks = relinks({
  name: 'unlink',
  valueOf: withoutIds,
  also: (referrer) => keepsLinks(referrer, () => 'NULL::boolean'),
});

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
