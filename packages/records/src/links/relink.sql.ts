import { newId, type SharedStatement, statement } from '@relata/db';
import { type Actor, toEventOrigin } from '@relata/events';
import type { LinkTable } from '../table/link-table.ts';
import { selected } from '../table/record-table.ts';
import { heldRecord } from '../writes/locked-record.sql.ts';
import { type IncomingLink, type Link, memoizePerLink, statementName } from './links.ts';

/** A change to the links of records. The caller has locked these records. */
export interface Relink {
  actor: Actor;
  /** Records with the links. */
  recordIds: readonly string[];
  /** Records that are or were linked. */
  linkedIds: readonly string[];
  /** The winner of a merge in which the linked records are the losers. */
  winnerId?: string;
}

/**
 * The new values of links, in SQL. `$1` is the organization, `$7` the linked ids, `$8` the winner, and `old` the record
 * before the change.
 */
interface RelinkSql {
  name: string;
  /** True if it reads the kept links of the records (rows of `trash_links`) with `keptLinksIn`. */
  readsKept?: boolean;
  valueOf: (link: Link, referrer: IncomingLink) => string;
  /**
   * Another part of the WITH clause. `changed` has the fields before the change, the new values with the prefix `new_`,
   * and the kept links.
   */
  also?: (referrer: IncomingLink) => string;
}

/**
 * Declares a statement that changes the links of many records, and writes an event for each. The records must be locked
 * before the statement begins, since it reads lists in separate tables as they were at its beginning. The statement
 * returns the number of changed records.
 */
export function relinks(sql: RelinkSql): (referrer: IncomingLink) => SharedStatement<Relink, number> {
  return memoizePerLink((referrer) => relinking(sql, referrer));
}

function relinking(sql: RelinkSql, referrer: IncomingLink): SharedStatement<Relink, number> {
  const prepared = statement<{ changed: number }>(statementName(referrer, sql.name), relinkSql(sql, referrer));
  return {
    async run(db, calls) {
      const results: number[] = [];
      for (const call of calls)
        results.push(call.recordIds.length === 0 ? 0 : (await db.query(prepared, valuesOf(call)))[0]!.changed);
      return results;
    },
    holds: ({ actor: { orgId }, recordIds }) => recordIds.map((id) => heldRecord({ orgId, id })),
    wrote: (changed) => changed > 0,
  };
}

function valuesOf({ actor, recordIds, linkedIds, winnerId }: Relink): unknown[] {
  const origin = toEventOrigin(actor);
  const eventIds = recordIds.map(() => newId());
  return [
    actor.orgId,
    recordIds,
    eventIds,
    origin.actor,
    origin.requestId,
    origin.depth,
    linkedIds,
    ...(winnerId === undefined ? [] : [winnerId]),
  ];
}

/** Parameters in the SQL of a link's new value: the linked ids, and the winner of their merge. */
export interface LinkParameters {
  linked: string;
  winner: string;
}

export const relinkParameters: LinkParameters = { linked: '$7::uuid[]', winner: '$8::uuid' };

/**
 * Returns SQL for the kept links of a field of `row`, which is `old` or `changed`: the links that a merge moved, and
 * the links to the linked records.
 */
export const keptLinksIn = (row: string, field: string) => `unnest(${row}.${keptColumn(field)})`;

const keptColumn = (field: string) => `kept_${field}`;

/**
 * Returns SQL in which each part reads one earlier part instead of joining several, since the planner cannot estimate
 * their size. The kept links are added by a full join, which reads each side once in every plan.
 */
function relinkSql({ readsKept, valueOf, also }: RelinkSql, referrer: IncomingLink): string {
  const { table, links } = referrer;
  const names = links.map((link) => link.name);
  const columns = links.filter(({ linkTable }) => !linkTable).map(({ name }) => `${name} = j.new_${name}`);
  const kept = table.shown.filter(({ name }) => name !== 'updated_at').map(({ name }) => `j.${name}`);
  const shown = table.shown.map(({ name }) => (names.includes(name) ? `c.new_${name} AS ${name}` : `c.${name}`));
  const keptColumns = readsKept ? names.map(keptColumn) : [];
  const isOther = (row: string) => (name: string) => `${row}.new_${name} IS DISTINCT FROM ${row}.${name}`;
  return `
    WITH given AS MATERIALIZED (
      SELECT * FROM unnest($2::uuid[], $3::uuid[]) AS given (id, event_id)
    ), ${readsKept ? 'found' : 'old'} AS MATERIALIZED (
      SELECT given.event_id, ${selected(table)}
      FROM given JOIN ${table.name} r ON r.org_id = $1::uuid AND r.id = given.id
    ), ${readsKept ? `${withKept(names)},` : ''} judged AS MATERIALIZED (
      SELECT old.*, ${links.map((link) => `${valueOf(link, referrer)} AS new_${link.name}`).join(', ')} FROM old
    ), changed AS (
      UPDATE ${table.name} r SET ${columns.map((each) => `${each}, `).join('')}
        updated_at = greatest(now(), r.updated_at + interval '1 millisecond')
      FROM judged j WHERE r.org_id = $1::uuid AND r.id = j.id AND (${names.map(isOther('j')).join(' OR ')})
      RETURNING ${kept.join(', ')}, r.updated_at, j.event_id,
        ${[...names.map((name) => `new_${name}`), ...keptColumns].map((name) => `j.${name}`).join(', ')}
    ), ${links
      .flatMap(rowsWritten)
      .map((part) => `${part}, `)
      .join('')}
    ${also ? `${also(referrer)},` : ''} events_written AS (
      INSERT INTO events (org_id, id, seq, type, record_id, actor, request_id, depth, changed, previous, record)
      SELECT $1::uuid, c.event_id, next_event($1::uuid), '${table.eventName}.updated', c.id, $4::json, $5::text, $6::smallint,
        array_remove(ARRAY[${names.map((name) => `CASE WHEN ${isOther('c')(name)} THEN '${name}' END`).join(', ')}], NULL),
        json_strip_nulls(json_build_object(${links.map((link) => previous(referrer, link, isOther('c'))).join(', ')})),
        row_to_json((SELECT shown FROM (SELECT ${shown.join(', ')}) shown))
      FROM changed c ORDER BY c.id
    )
    SELECT count(*)::integer AS changed FROM changed`;
}

/**
 * Returns the parts of the WITH clause that add kept links of each field to the records `found`: the links that a merge
 * moved, and the links to the linked records.
 */
export function withKept(fields: readonly string[], { linked } = relinkParameters): string {
  const each = fields.map((field) => `array_agg(l) FILTER (WHERE l.field = '${field}') AS ${keptColumn(field)}`);
  return `kept AS MATERIALIZED (
      SELECT l.record_id, ${each.join(', ')} FROM trash_links l
      WHERE l.org_id = $1::uuid AND l.record_id = ANY ($2::uuid[])
        AND (l.had_winner IS NOT NULL OR l.id = ANY (${linked})) GROUP BY l.record_id
    ), old AS MATERIALIZED (
      SELECT found.*, ${fields.map((field) => `kept.${keptColumn(field)}`).join(', ')}
      FROM found FULL JOIN kept ON kept.record_id = found.id
    )`;
}

/**
 * Returns a part of the WITH clause that stores the changed links to the linked records. `hadWinner` returns SQL for the
 * column `had_winner` of a link, which is null unless a merge moved the link.
 */
export function keepsLinks({ table, links }: IncomingLink, hadWinner: (link: Link) => string): string {
  const each = links.map((link) => {
    const { name, isList } = link;
    const linked = isList ? `unnest(c.${name}) WITH ORDINALITY AS l (id, n)` : `(SELECT c.${name} AS id, 1 AS n) AS l`;
    const preceding = isList ? `c.${name}[:l.n - 1]` : `'{}'::uuid[]`;
    return `SELECT $1::uuid, l.id, '${table.name}', c.id, '${name}', ${preceding}, ${hadWinner(link)}
      FROM changed c CROSS JOIN LATERAL ${linked} WHERE l.id = ANY ($7::uuid[])`;
  });
  return `kept_links AS (
      INSERT INTO trash_links (org_id, id, resource, record_id, field, preceding, had_winner) ${each.join(' UNION ALL ')}
    )`;
}

function previous({ table }: IncomingLink, { name }: Link, isOther: (name: string) => string): string {
  const isOmitted = table.shown.find((column) => column.name === name)?.isOmittedIfEmpty;
  const value = isOmitted ? `nullif(c.${name}, '{}')` : `c.${name}`;
  return `'${name}', CASE WHEN ${isOther(name)} THEN ${value} END`;
}

/** Returns SQL that updates the rows of a list to its new value. */
function rowsWritten({ name, linkTable }: Link): string[] {
  if (!linkTable) return [];
  return [removedRows(name, linkTable), addedRows(name, linkTable)];
}

function removedRows(field: string, { name, record, linked }: LinkTable): string {
  return `removed_${field} AS (
      DELETE FROM ${name} l USING changed c
      WHERE l.org_id = $1::uuid AND l.${record} = c.id AND l.${linked} <> ALL (c.new_${field})
    )`;
}

function addedRows(field: string, { name, record, linked }: LinkTable): string {
  return `added_${field} AS (
      INSERT INTO ${name} AS l (org_id, ${record}, ${linked}, position)
      SELECT $1::uuid, c.id, link.id, link.position
      FROM changed c, unnest(c.new_${field}) WITH ORDINALITY AS link (id, position)
      WHERE NOT c.new_${field} <@ c.${field}
      ON CONFLICT (org_id, ${record}, ${linked}) DO UPDATE SET position = excluded.position
        WHERE l.position <> excluded.position
    )`;
}
