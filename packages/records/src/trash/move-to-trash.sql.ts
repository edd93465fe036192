import { newId, type SharedStatement, statement } from '@relata/db';
import { type Actor, toEventOrigin } from '@relata/events';
import { incomingLinksTo, referringIds } from '../links/links.ts';
import { isVersionOf } from '../table/change.sql.ts';
import type { Row } from '../table/record-column.ts';
import { memoizePerTable, type RecordTable, selected, toRecord } from '../table/record-table.ts';
import { heldRecord } from '../writes/locked-record.sql.ts';

/** A record to be moved to the trash; it is locked. */
export interface Move {
  actor: Actor;
  id: string;
  /** Acceptable versions of the record; undefined to accept any version. */
  ifMatch?: readonly string[] | undefined;
  deletionId: string;
  /** The record whose delete includes this one. */
  causeId?: string;
  /** The merge in which the record was a loser. */
  merged?: { into: string; eventId: string; filled: readonly string[] };
}

/**
 * Result of a move, with the record as it was. It was not moved if it had another version (`failed`) or other records
 * refer to it (`linked`).
 */
export interface Moved<Rec> {
  outcome: 'moved' | 'failed' | 'linked';
  record: Rec;
  deletedAt: string;
}

/**
 * Moves records to the trash, and writes an event for each. The result has no entry for a record that does not exist.
 */
export const movesToTrash = memoizePerTable((table): SharedStatement<readonly Move[], readonly Moved<unknown>[]> => {
  const prepared = statement<Row>(`${table.name}.move_to_trash`, moveSql(table));
  return {
    run: async (db, calls) => {
      const rows = await db.query(prepared, valuesOf(calls.flat()));
      const moved = new Map(rows.map((row) => [row['n'], movedOf(table, row)]));
      let n = 0;
      return calls.map((moves) => moves.flatMap(() => moved.get(++n) ?? []));
    },
    holds: (moves) => moves.map(({ actor: { orgId }, id }) => heldRecord({ orgId, id })),
    wrote: (moved) => moved.some(({ outcome }) => outcome === 'moved'),
  };
});

function movedOf(table: RecordTable<unknown>, row: Row): Moved<unknown> {
  const { outcome, deleted_at: deletedAt } = row as unknown as {
    outcome: Moved<unknown>['outcome'];
    deleted_at: string;
  };
  return { outcome, record: toRecord(table, row), deletedAt };
}

function valuesOf(moves: readonly Move[]): unknown[] {
  const origins = moves.map(({ actor }) => toEventOrigin(actor));
  return [
    moves.map(({ actor }) => actor.orgId),
    moves.map(({ id }) => id),
    moves.map(({ ifMatch }) => ifMatch?.join() ?? null),
    moves.map(({ deletionId }) => deletionId),
    moves.map(({ causeId }) => causeId ?? null),
    moves.map(() => newId()),
    origins.map(({ actor }) => actor),
    origins.map(({ requestId }) => requestId),
    origins.map(({ depth }) => depth),
    moves.map(({ merged }) => merged?.into ?? null),
    moves.map(({ merged }) => merged?.eventId ?? null),
    moves.map(({ merged }) => (merged ? JSON.stringify(merged.filled) : null)),
  ];
}

/** Returns SQL for the move. The caller has locked the records, so no new link to them can appear while it runs. */
function moveSql(table: RecordTable<unknown>): string {
  const { name, eventName } = table;
  const referring = incomingLinksTo(table).map(
    (referrer) => `(SELECT true FROM (${referringIds(referrer, 'f.org_id', 'f.id', '1')}) found LIMIT 1)`,
  );
  const shown = table.shown.map((column) => `f.${column.name}`).join(', ');
  return `
    WITH given AS MATERIALIZED (
      SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::uuid[], $7::json[], $8::text[],
          $9::smallint[], $10::uuid[], $11::uuid[], $12::json[])
        WITH ORDINALITY AS given (org_id, given_id, if_match, deletion_id, cause_id, event_id, actor, request_id, depth, merged_into, merge_event_id, filled, n)
    ), found AS MATERIALIZED (
      SELECT given.*, ${selected(table)}
      FROM given JOIN ${name} r ON r.org_id = given.org_id AND r.id = given.given_id
    ), judged AS MATERIALIZED (
      SELECT f.*, CASE
        WHEN NOT ${isVersionOf('f', 'f.if_match')} THEN 'failed'
        ${referring.length > 0 ? `WHEN ${referring.join(' OR ')} THEN 'linked'` : ''}
        ELSE 'moved' END AS outcome
      FROM found f
    ), removed AS (
      DELETE FROM ${name} r USING judged f WHERE f.outcome = 'moved' AND r.org_id = f.org_id AND r.id = f.id
      RETURNING f.org_id, f.merged_into, f.merge_event_id, f.filled, f.deletion_id, f.cause_id, f.event_id, f.actor, f.request_id, f.depth,
        row_to_json((SELECT shown FROM (SELECT ${shown}) shown)) AS record, f.id
    ), kept AS (
      INSERT INTO trash (org_id, id, resource, record, deletion_id, cause_id, merged_into, merge_event_id, filled)
      SELECT org_id, id, '${eventName}', record, deletion_id, cause_id, merged_into, merge_event_id,
        CASE WHEN filled IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(filled)) END
      FROM removed
    ), events_written AS (
      INSERT INTO events (org_id, id, seq, type, record_id, actor, request_id, depth, record, details)
      SELECT org_id, event_id, next_event(org_id), '${eventName}.deleted', id, actor, request_id, depth, record,
        CASE WHEN merged_into IS NULL THEN json_build_object('deletion_id', deletion_id)
          ELSE json_build_object('merged_into', merged_into) END
      FROM removed ORDER BY org_id, id
    )
    SELECT f.n::integer AS n, f.outcome, now()::timestamptz(3) AS deleted_at, ${shown} FROM judged f`;
}
