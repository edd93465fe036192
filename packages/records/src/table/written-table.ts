import type { RecordTable } from './record-table.ts';

/** Columns of the event in each row to be written. */
export const eventColumns = 'event_id uuid, event_actor json, event_request text, event_depth smallint';

/** A column with the id of another record, or with a list of ids. */
export interface LinkColumn {
  name: string;
  isList: boolean;
  /** Table of the records that it refers to. */
  target: string;
}

export function linkColumns({ columns, references }: RecordTable<unknown>): LinkColumn[] {
  return columns.flatMap(({ name, type }) => {
    const target = references[name];
    return target === undefined ? [] : [{ name, isList: type === 'uuid[]', target }];
  });
}

/**
 * Returns parts of a WITH clause, one for each table that `columns` refer to. `named` returns SQL for the organizations
 * and ids in a column. `found_<table>` has the ids of the existing records among them. These records stay locked until
 * the transaction ends, so that no concurrent delete leaves an id behind or breaks a foreign key. A broken foreign key
 * would fail the whole statement, including the rows of other requests. The records are locked in the order of their
 * ids, and before the record that refers to them. The exception is a change that depends on its record: its unit has
 * locked the record already. With `skipsLocked`, records that another transaction has locked are left out. LIMIT keeps
 * each look-up on the primary key, even if the planner last saw an empty table.
 */
export function linkedSql(
  columns: readonly LinkColumn[],
  named: (column: LinkColumn) => string,
  { skipsLocked }: { skipsLocked: boolean },
): string[] {
  const byTarget = Object.entries(Object.groupBy(columns, ({ target }) => target));
  return byTarget.map(
    ([target, each = []]) => `found_${target} AS MATERIALIZED (
      SELECT named.org_id, named.id FROM (
        SELECT DISTINCT org_id, id FROM (${each.map(named).join(' UNION ALL ')}) each
        WHERE id IS NOT NULL ORDER BY org_id, id
      ) named CROSS JOIN LATERAL (
        SELECT FROM ${target} t WHERE t.org_id = named.org_id AND t.id = named.id
        LIMIT 1 FOR KEY SHARE OF t ${skipsLocked ? 'SKIP LOCKED' : ''}
      ) found
    )`,
  );
}

/**
 * Returns a condition that is true if `found_<table>` lacks an id. The record then does not exist, or another
 * transaction has locked it.
 */
export const isUnlinked = ({ target }: LinkColumn, id: string) =>
  `(given.org_id, ${id}) NOT IN (SELECT l.org_id, l.id FROM found_${target} l)`;

/** Returns SQL for the ids in the value of a column. */
export const idsIn = ({ isList }: LinkColumn, value: string) =>
  isList ? `unnest(${value}) AS named (id)` : `LATERAL (SELECT ${value}) AS named (id)`;

/**
 * Returns a condition that `linkedSql` has found all ids that a row refers to; `ids` returns SQL for the ids in a
 * column.
 */
export function namesExist(columns: readonly LinkColumn[], ids: (column: LinkColumn) => string): string {
  const conditions = columns.map(
    (column) =>
      `NOT EXISTS (SELECT FROM ${ids(column)} WHERE named.id IS NOT NULL AND ${isUnlinked(column, 'named.id')})`,
  );
  return ['true', ...conditions].join(' AND ');
}
