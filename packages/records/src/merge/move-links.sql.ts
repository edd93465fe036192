import type { Link, IncomingLink } from '../links/links.ts';
import { keepsLinks, keptLinksIn, type LinkParameters, relinkParameters, relinks } from '../links/relink.sql.ts';

/**
 * Returns SQL for the links `o` of a record that merges moved to the winner, from losers that have not been restored.
 */
const movedFrom = (row: string, field: string, { winner } = relinkParameters) =>
  `FROM ${keptLinksIn(row, field)} o WHERE o.had_winner IS NOT NULL
    AND EXISTS (SELECT FROM trash t WHERE t.org_id = $1::uuid AND t.id = o.id AND t.merged_into = ${winner})`;

/** Replaces the ids of losers with that of the winner, and keeps the links for an undo. */
export const movesLinks = relinks({
  name: 'move',
  readsKept: true,
  valueOf: withWinner,
  also: (referrer) => keepsLinks(referrer, hadWinner),
});

function withWinner({ name, isList }: Link): string {
  const moved = (id: string) => `CASE WHEN ${id} = ANY ($7::uuid[]) THEN $8::uuid ELSE ${id} END`;
  if (!isList) return moved(`old.${name}`);
  // A winner that is already in the list keeps its position, so that an undo need not move it.
  const place = 'coalesce(min(each.n) FILTER (WHERE each.id = $8::uuid), min(each.n))';
  return `ARRAY(SELECT id FROM (
      SELECT ${moved('each.id')} AS id, ${place} AS n FROM unnest(old.${name}) WITH ORDINALITY AS each (id, n) GROUP BY 1
    ) merged ORDER BY n)`;
}

/** Replaces the ids of losers with that of the winner, for a merge that cannot be undone. */
export const movesLinksForGood = relinks({ name: 'move_for_good', valueOf: withWinner, also: movedForGood });

function movedForGood({ links }: IncomingLink): string {
  const each = links.map(
    ({ name }) => `SELECT c.id AS record_id, '${name}' AS field, $8::uuid AS merged_into FROM changed c`,
  );
  return `kept_winners AS (${keepsWinner(`(${each.join(' UNION ALL ')})`)})`;
}

/**
 * Returns SQL that keeps a winner in each list in which it replaced a loser, even if another loser of the list is
 * restored. `moved` is SQL for the links: `record_id`, `field` and `merged_into`. `isOther` is a condition on the link
 * `o` of the other loser.
 */
export function keepsWinner(moved: string, isOther = 'true'): string {
  return `UPDATE trash_links o SET had_winner = true FROM ${moved} m
      WHERE o.org_id = $1::uuid AND o.record_id = m.record_id AND o.field = m.field AND NOT o.had_winner AND ${isOther}
        AND EXISTS (SELECT FROM trash t WHERE t.org_id = $1::uuid AND t.id = o.id AND t.merged_into = m.merged_into)`;
}

/**
 * Returns SQL that is true if the list of a moved link had the winner before. A list that has the winner only because of
 * an earlier merge counts as a list without the winner.
 */
function hadWinner({ name, isList }: Link): string {
  if (!isList) return 'false';
  return `$8::uuid = ANY (c.${name}) AND NOT EXISTS (SELECT ${movedFrom('c', name)} AND NOT o.had_winner)`;
}

/** Moves links back to a restored loser if they still point to the winner to which its merge moved them. */
export const movesLinksBack = relinks({
  name: 'move_back',
  readsKept: true,
  valueOf: (link) => withLoser(link, relinkParameters),
});

/**
 * Returns SQL for a link of the record `old` after the undo of a merge; `old` also has the kept links. Reads the
 * organization as `$1`.
 */
export function withLoser({ name, isList, listMax }: Link, parameters: LinkParameters): string {
  const { linked, winner } = parameters;
  const kept = `${keptLinksIn('old', name)} l WHERE l.id = ANY (${linked}) AND l.had_winner IS NOT NULL`;
  if (!isList)
    return `CASE WHEN old.${name} = ${winner} THEN coalesce((SELECT l.id FROM ${kept}), old.${name}) ELSE old.${name} END`;
  const links = `ARRAY(SELECT ROW(l.org_id, l.id, l.resource, l.record_id, l.field, ${placesBefore(name)},
      l.had_winner)::trash_links FROM ${kept})`;
  const staysSql = `SELECT bool_or(l.had_winner) OR EXISTS (
      SELECT ${movedFrom('old', name, parameters)} AND o.id <> ALL (${linked})) AS stays FROM ${kept}`;
  return `CASE WHEN ${winner} = ANY (old.${name}) THEN (
      SELECT CASE
        WHEN winner.stays IS NULL THEN old.${name}
        WHEN winner.stays THEN put_back(old.${name}, ${links}, ${listMax})
        ELSE array_remove(put_back(old.${name}, ${links}, ${listMax} + 1), ${winner}) END
      FROM (${staysSql}) winner
    ) ELSE old.${name} END`;
}

/**
 * Returns SQL for the ids after which the link `l` is put back: the link comes after the last of these ids that the
 * list has. If a former predecessor is still merged, its winner marks its position, unless the list had the winner
 * before. A winner has the position of its first loser. So a winner counts only if it comes after the last former
 * predecessor that is in the list.
 */
function placesBefore(name: string): string {
  return `ARRAY(WITH RECURSIVE before AS (
      SELECT p.id, p.n, array_position(old.${name}, p.id) AS place, false AS is_winner
      FROM unnest(l.preceding) WITH ORDINALITY AS p (id, n)
      UNION ALL
      SELECT t.id, b.n, array_position(old.${name}, t.id), true
      FROM before b CROSS JOIN LATERAL (
        SELECT merged_into AS id FROM trash WHERE org_id = $1::uuid AND id = b.id AND merged_into IS NOT NULL LIMIT 1
      ) t WHERE b.place IS NULL AND NOT EXISTS (
        SELECT FROM ${keptLinksIn('old', name)} k WHERE k.id = b.id AND k.had_winner)
    ) SELECT b.id FROM before b WHERE NOT b.is_winner OR b.place > coalesce((
        SELECT own.place FROM before own WHERE NOT own.is_winner AND own.place IS NOT NULL ORDER BY own.n DESC LIMIT 1
      ), 0) ORDER BY b.is_winner, CASE WHEN b.is_winner THEN b.place ELSE b.n END)`;
}
