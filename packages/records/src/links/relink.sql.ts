import { newId, type SharedStatement, statement } from '@relata/db';
import { type Actor, toEventOrigin } from '@relata/events';
import type { LinkTable } from '../table/link-table.ts';
import { selected } from '../table/record-table.ts';
import { heldRecord } from '../writes/locked-record.sql.ts';
import type { Link, Referrer } from './links.ts';

/** Changes the links of records that are locked. */
export interface Relink {
  actor: Actor;
  /** Records with the links. */
  recordIds: readonly string[];
  /** Records that are linked, or were. */
  linkedIds: readonly string[];
}

/** The new values of links, in SQL: `$1` is the organization, `$7` the linked ids, `old` a record before the change. */
interface RelinkSql {
  name: string;
  valueOf: (link: Link, referrer: Referrer) => string;
  /** A further part of the WITH clause, which reads `old` and `changed`. */
  also?: (referrer: Referrer) => string;
}

/**
 * Declares a statement that changes the links of many records, each with its event. The records must be locked, and the
 * statement must begin after that: a list in a table of its own is read as it was when the statement began. It returns
 * the number of records that have changed.
 */
export function relinks(sql: RelinkSql): (referrer: Referrer) => SharedStatement<Relink, number> {
  const made = new WeakMap<Referrer, SharedStatement<Relink, number>>();
  return (referrer) => made.getOrInsertComputed(referrer, () => relinking(sql, referrer));
}

function relinking(sql: RelinkSql, referrer: Referrer): SharedStatement<Relink, number> {
  const { table } = referrer;
  const name = `${table.name}.${sql.name}.${referrer.links[0]!.target}`;
  const prepared = statement<{ changed: number }>(name, relinkSql(sql, referrer));
  return {
    async run(db, calls) {
      const results: number[] = [];
      for (const call of calls) results.push((await db.query(prepared, valuesOf(call)))[0]!.changed);
      return results;
    },
    holds: ({ actor: { orgId }, recordIds }) => recordIds.map((id) => heldRecord({ orgId, id })),
    wrote: (changed) => changed > 0,
  };
}

function valuesOf({ actor, recordIds, linkedIds }: Relink): unknown[] {
  const origin = toEventOrigin(actor);
  const eventIds = recordIds.map(() => newId());
  return [actor.orgId, recordIds, eventIds, origin.actor, origin.requestId, origin.depth, linkedIds];
}

function relinkSql({ valueOf, also }: RelinkSql, referrer: Referrer): string {
  const { table, links } = referrer;
  const names = links.map((link) => link.name);
  const columns = links.filter(({ linkTable }) => !linkTable).map(({ name }) => `${name} = j.new_${name}`);
  const shown = table.shown.map(({ name }) => {
    if (names.includes(name)) return `j.new_${name} AS ${name}`;
    return `${name === 'updated_at' ? 'c' : 'j'}.${name}`;
  });
  const isOther = (name: string) => `j.new_${name} IS DISTINCT FROM j.${name}`;
  return `
    WITH given AS MATERIALIZED (
      SELECT * FROM unnest($2::uuid[], $3::uuid[]) AS given (id, event_id)
    ), old AS MATERIALIZED (
      SELECT given.event_id, ${selected(table)}
      FROM given JOIN ${table.name} r ON r.org_id = $1::uuid AND r.id = given.id
    ), judged AS MATERIALIZED (
      SELECT old.*, ${links.map((link) => `${valueOf(link, referrer)} AS new_${link.name}`).join(', ')} FROM old
    ), changed AS (
      UPDATE ${table.name} r SET ${columns.map((each) => `${each}, `).join('')}
        updated_at = greatest(now(), r.updated_at + interval '1 millisecond')
      FROM judged j WHERE r.org_id = $1::uuid AND r.id = j.id AND (${names.map(isOther).join(' OR ')})
      RETURNING r.id, r.updated_at
    ), ${links
      .flatMap(rowsWritten)
      .map((part) => `${part}, `)
      .join('')}
    ${also ? `${also(referrer)},` : ''} events_written AS (
      INSERT INTO events (org_id, id, seq, type, record_id, actor, request_id, depth, changed, previous, record)
      SELECT $1::uuid, j.event_id, next_event($1::uuid), '${table.eventName}.updated', j.id, $4::json, $5::text, $6::smallint,
        array_remove(ARRAY[${names.map((name) => `CASE WHEN ${isOther(name)} THEN '${name}' END`).join(', ')}], NULL),
        json_strip_nulls(json_build_object(${links.map((link) => previous(referrer, link, isOther)).join(', ')})),
        row_to_json((SELECT shown FROM (SELECT ${shown.join(', ')}) shown))
      FROM changed c JOIN judged j USING (id) ORDER BY j.id
    )
    SELECT count(*)::integer AS changed FROM changed`;
}

function previous({ table }: Referrer, { name }: Link, isOther: (name: string) => string): string {
  const isOmitted = table.shown.find((column) => column.name === name)?.isOmittedIfEmpty;
  const value = isOmitted ? `nullif(j.${name}, '{}')` : `j.${name}`;
  return `'${name}', CASE WHEN ${isOther(name)} THEN ${value} END`;
}

/** Returns SQL that makes the rows of a list those of its new value. */
function rowsWritten({ name, linkTable }: Link): string[] {
  if (!linkTable) return [];
  return [removedRows(name, linkTable), addedRows(name, linkTable)];
}

function removedRows(field: string, { name, record, linked }: LinkTable): string {
  return `removed_${field} AS (
      DELETE FROM ${name} l USING changed c JOIN judged j USING (id)
      WHERE l.org_id = $1::uuid AND l.${record} = j.id AND l.${linked} <> ALL (j.new_${field})
    )`;
}

function addedRows(field: string, { name, record, linked }: LinkTable): string {
  return `added_${field} AS (
      INSERT INTO ${name} AS l (org_id, ${record}, ${linked}, position)
      SELECT $1::uuid, j.id, link.id, link.position
      FROM changed c JOIN judged j USING (id), unnest(j.new_${field}) WITH ORDINALITY AS link (id, position)
      WHERE NOT j.new_${field} <@ j.${field}
      ON CONFLICT (org_id, ${record}, ${linked}) DO UPDATE SET position = excluded.position
        WHERE l.position <> excluded.position
    )`;
}
