import type { Column } from './record-column.ts';
import type { RecordTable } from './record-table.ts';
import { isUnlinked, type LinkColumn, linkColumns, linkedSql, namesExist } from './written-table.ts';

/** Parameters of the statement that changes records: arrays with one element per change. */
const given = `unnest($1::uuid[], $2::uuid[], $3::json[], $4::text[], $5::uuid[], $6::json[], $7::text[], $8::smallint[],
          $9::json[])
        WITH ORDINALITY AS given (org_id, id, patch, if_match, event_id, event_actor, event_request, event_depth,
          event_details, n)`;

/**
 * Returns SQL that applies many merge patches in one statement, and writes an event for each changed record. The
 * records can belong to different organizations. PostgreSQL locks the rows in the order of their ids, applies each
 * patch and compares the result with the row: a record that the patch would not change is not written. `updated_at`
 * always increases by at least a millisecond, so that no two versions share it.
 *
 * The SQL returns a row for each change of an existing record, with an outcome: `refused` (the patch refers to
 * something missing), `failed` (the version of the record is not in `if_match`), `unchanged`, `changed`, or with
 * `skipsLocked` also `locked` (another transaction has locked the record, or a record that the patch adds a reference
 * to).
 *
 * The parameters are arrays because the planner estimates `unnest` at ten rows and uses the primary key; for a JSON
 * array it estimates a hundred rows and scans the table.
 */
export function changeSql(table: RecordTable<unknown>, { skipsLocked }: { skipsLocked: boolean }): string {
  const { name, eventName, shown, writableByWorkflows: writable } = table;
  const links = linkColumns(table).filter(({ name }) => writable.some((column) => column.name === name));
  const linked = linkedSql(links, (column) => newIdsInPatches(name, column), { skipsLocked });
  const of = (row: string) => shown.map((column) => `${row}.${column.name}`).join(', ');
  return `
    WITH given AS MATERIALIZED (
      SELECT * FROM ${given}
    ), ${linked.map((each) => `${each}, `).join('')}locked AS MATERIALIZED (
      SELECT r AS old, given.n, given.org_id, given.patch, given.if_match
      FROM given JOIN ${name} r ON r.org_id = given.org_id AND r.id = given.id
      ${links.length > 0 ? `WHERE ${links.map(isLinkedFirst).join(' AND ')}` : ''}
      ORDER BY r.org_id, r.id FOR NO KEY UPDATE OF r ${skipsLocked ? 'SKIP LOCKED' : ''}
    ), patched AS MATERIALIZED (
      SELECT n, org_id, if_match, old, json_populate_record(old, patch) AS new FROM locked
    ), judged AS MATERIALIZED (
      SELECT n, old, new, CASE
        ${skipsLocked ? links.map((link) => `WHEN ${isLinkLocked(link)} THEN 'locked'`).join('\n        ') : ''}
        WHEN (${namesExist(links, newIds)}) IS NOT TRUE THEN 'refused'
        WHEN NOT ${isVersionOf('old', 'if_match')} THEN 'failed'
        WHEN old IS NOT DISTINCT FROM new THEN 'unchanged'
        ELSE 'changed' END AS outcome
      FROM patched AS given
    ), changed AS (
      UPDATE ${name} r SET ${writable.map((column) => `${column.name} = (j.new).${column.name}`).join(', ')},
        updated_at = greatest(now(), r.updated_at + interval '1 millisecond')
      FROM judged j WHERE j.outcome = 'changed' AND r.org_id = (j.old).org_id AND r.id = (j.old).id
      RETURNING j.n, ${namesChanged(writable)} AS changed_fields, ${of('r')}
    ), events_written AS (
      INSERT INTO events (org_id, id, seq, type, record_id, actor, request_id, depth, changed, previous, record, details)
      SELECT g.org_id, g.event_id, next_event(g.org_id), '${eventName}.updated', g.id,
        g.event_actor, g.event_request, g.event_depth, r.changed_fields, ${valuesBefore(writable)},
        row_to_json((SELECT shown FROM (SELECT ${of('r')}) shown)), g.event_details
      FROM changed r JOIN judged j USING (n) JOIN given g USING (n) ORDER BY g.org_id, g.id
    )
    SELECT r.n, 'changed' AS outcome, r.changed_fields, ${of('r')} FROM changed r
    UNION ALL SELECT n, outcome, NULL, ${of('(old)')} FROM judged WHERE outcome <> 'changed'
    ${skipsLocked ? `UNION ALL ${lockedElsewhere(name, shown)}` : ''}`;
}

/**
 * Returns SQL for the ids that patches add to a column, with their organizations. It compares patches and records
 * before the records are locked. A client that sends whole records thus locks nothing for unchanged links.
 */
function newIdsInPatches(table: string, { name, isList }: LinkColumn): string {
  const records = `given JOIN ${table} r ON r.org_id = given.org_id AND r.id = given.id`;
  return isList
    ? `SELECT given.org_id, named.id::uuid FROM ${records}, json_array_elements_text(given.patch -> '${name}') AS named (id)
        WHERE given.patch -> '${name}' IS NOT NULL AND named.id::uuid <> ALL (r.${name})`
    : `SELECT given.org_id, (given.patch ->> '${name}')::uuid AS id FROM ${records}
        WHERE given.patch ->> '${name}' IS NOT NULL AND r.${name} IS DISTINCT FROM (given.patch ->> '${name}')::uuid`;
}

/**
 * Returns a condition that is always true. PostgreSQL can evaluate it only after it has locked the linked records of a
 * table, so these are locked first.
 */
const isLinkedFirst = ({ target }: LinkColumn) => `(SELECT count(*) FROM found_${target}) >= 0`;

/** Returns a condition that is true if another transaction has locked a record that the patch adds a reference to. */
function isLinkLocked(column: LinkColumn): string {
  return `EXISTS (SELECT FROM ${newIds(column)} WHERE ${isUnlinked(column, 'named.id')}
          AND (SELECT true FROM ${column.target} t WHERE t.org_id = given.org_id AND t.id = named.id LIMIT 1))`;
}

/** Returns SQL for the ids that a patch adds to a column of a record. Only these must be checked. */
function newIds({ name, isList }: LinkColumn): string {
  return isList
    ? `(SELECT each.id FROM unnest((given.new).${name}) AS each (id) WHERE each.id <> ALL ((given.old).${name})) AS named`
    : `LATERAL (SELECT nullif((given.new).${name}, (given.old).${name})) AS named (id)`;
}

/**
 * Returns a condition that a row has one of the versions. A version is the time of change in milliseconds; several are
 * separated by commas, and NULL means any version.
 */
export function isVersionOf(row: string, versions: string): string {
  const version = `(extract(epoch FROM (${row}).updated_at) * 1000)::bigint::text`;
  return `(${versions} IS NULL OR ${version} = ANY (string_to_array(${versions}, ',')))`;
}

const isOther = (name: string) => `(j.old).${name} IS DISTINCT FROM r.${name}`;

/** Returns SQL for the names of the columns that differ between the records `(j.old)` and `r`. */
export function namesChanged(writable: readonly Column[]): string {
  const names = writable.map(({ name }) => `CASE WHEN ${isOther(name)} THEN '${name}' END`);
  return `array_remove(ARRAY[${names.join(', ')}], NULL)`;
}

/** Returns SQL for the former values, in `(j.old)`, of the columns that have changed. */
export function valuesBefore(writable: readonly Column[]): string {
  const before = ({ name, isOmittedIfEmpty }: Column) =>
    isOmittedIfEmpty ? `nullif((j.old).${name}, '{}')` : `(j.old).${name}`;
  const values = writable.map(
    (column) => `'${column.name}', CASE WHEN ${isOther(column.name)} THEN ${before(column)} END`,
  );
  return `json_strip_nulls(json_build_object(${values.join(', ')}))`;
}

/** Returns SQL for the existing records that another transaction had locked. */
function lockedElsewhere(name: string, shown: readonly Column[]): string {
  const nothing = shown.map((column) => `NULL::${column.type}`).join(', ');
  return `SELECT n, 'locked', NULL, ${nothing} FROM given
      WHERE NOT EXISTS (SELECT FROM locked l WHERE l.n = given.n)
        AND EXISTS (SELECT FROM ${name} r WHERE r.org_id = given.org_id AND r.id = given.id)`;
}
