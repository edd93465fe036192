import { type Column, isList } from './record-column.ts';
import type { RecordTable } from './record-table.ts';
import { eventColumns, idsIn, type LinkColumn, linkColumns, linkedSql, namesExist } from './written-table.ts';

/**
 * Returns SQL that inserts many rows from one JSON array of objects, and writes an event for each. The rows can belong
 * to different organizations. One statement writes a row and its event, so neither exists without the other. A row that
 * refers to something missing is not inserted. With `skipsLocked`, a row that refers to a record locked by another
 * transaction is not inserted either; it is returned with `is_locked`.
 */
export function insertSql(table: RecordTable<unknown>, { skipsLocked }: { skipsLocked: boolean }): string {
  const { shown, writableByWorkflows: writable } = table;
  const columns = writable.map(({ name, type }) => `${name} ${type}`);
  const links = linkColumns(table);
  const isThere = namesExist(links, (column) => idsIn(column, `given.${column.name}`));
  const names = shown.map(({ name }) => `r.${name}`).join(', ');
  const named = (column: LinkColumn) =>
    `SELECT sent.org_id, named.id FROM sent, ${idsIn(column, `sent.${column.name}`)}`;
  const linked = linkedSql(links, named, { skipsLocked });
  return `
    WITH sent AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1::json) AS sent (org_id uuid, id uuid, ${eventColumns}, ${columns.join(', ')})
    ), ${linked.map((each) => `${each}, `).join('')}given AS MATERIALIZED (
      SELECT * FROM sent AS given WHERE ${isThere}
    ), ${table.insertedParts ?? insertedRows(table, names)}, events_written AS (
      INSERT INTO events (org_id, id, seq, type, record_id, actor, request_id, depth, record)
      SELECT g.org_id, g.event_id, next_event(g.org_id), '${table.eventName}.created', g.id,
        g.event_actor, g.event_request, g.event_depth, row_to_json(r)
      FROM inserted r JOIN given g USING (id) ORDER BY g.id
    )
    SELECT false AS is_locked, ${names} FROM inserted r
    ${skipsLocked && links.length > 0 ? `UNION ALL ${lockedRows(links, shown)}` : ''}`;
}

/**
 * Returns SQL for the rows that were left out although everything that they refer to exists. It first compares the
 * counts, since usually no row was left out.
 */
function lockedRows(links: readonly LinkColumn[], shown: readonly Column[]): string {
  const values = shown.map(({ name, type }) => (name === 'id' ? 's.id' : `NULL::${type}`)).join(', ');
  const exist = links.map(
    (column) => `NOT EXISTS (SELECT FROM ${idsIn(column, `s.${column.name}`)} WHERE named.id IS NOT NULL
        AND NOT EXISTS (SELECT FROM ${column.target} t WHERE t.org_id = s.org_id AND t.id = named.id))`,
  );
  return `SELECT true, ${values} FROM sent s
      WHERE (SELECT count(*) FROM given) < (SELECT count(*) FROM sent) AND s.id NOT IN (SELECT id FROM given)
        AND ${exist.join(' AND ')}`;
}

function insertedRows({ name, writableByWorkflows: writable }: RecordTable<unknown>, shown: string): string {
  const names = writable.map((column) => column.name).join(', ');
  return `inserted AS (
      INSERT INTO ${name} AS r (org_id, id, ${names}) SELECT org_id, id, ${writable.map(valueOf).join(', ')} FROM given
      RETURNING ${shown}
    )`;
}

/** Returns SQL for the value of a column. A list without a value is empty. */
function valueOf({ name, type }: Column): string {
  return isList(type) ? `coalesce(${name}, '{}')` : name;
}
