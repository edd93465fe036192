import type { ReferringTable } from '../writes/record-rules.ts';
import type { Column } from './record-column.ts';

/** Properties of a table that the writing statements need. */
export interface WrittenTable extends ReferringTable {
  columns: readonly Column[];
  /** Columns computed from other tables, by name: SQL expressions in which `r` is the row. */
  derived: Readonly<Record<string, string>>;
  /** Name in the types of its events: `account` in `account.created`. */
  eventName: string;
  /**
   * SQL for a record that spans several rows: the parts of a WITH clause that insert the rows `given`. They end with
   * `inserted`, which has the columns as shown.
   */
  insertSql?: string;
}

/** Columns of the event in each row to be written. */
export const eventColumns = 'event_id uuid, event_actor json, event_request text, event_depth smallint';

/**
 * Returns a condition that everything a row refers to exists. A broken foreign key would fail the whole statement,
 * including the rows of other requests. LIMIT keeps each look-up on the primary key, even if the planner last saw an
 * empty table. No foreign key guards the ids of a list column, so they are locked, in one order, until the transaction
 * ends.
 */
export function namesExist(
  { columns, references, derived }: WrittenTable,
  valueOf: (column: Column) => string,
): string {
  const conditions = columns
    .filter(({ name }) => references[name])
    .map((column) => {
      const [value, target] = [valueOf(column), references[column.name]!];
      const found = (id: string, lock = '') =>
        `(SELECT true FROM ${target} t WHERE t.org_id = given.org_id AND t.id = ${id} LIMIT 1${lock})`;
      if (column.type !== 'uuid[]') return `(${value} IS NULL OR ${found(value)})`;
      const ids = derived[column.name]
        ? { named: `unnest(${value}) AS named (id)`, lock: '' }
        : { named: `(SELECT id FROM unnest(${value}) AS each (id) ORDER BY id) AS named`, lock: ' FOR KEY SHARE OF t' };
      return `NOT EXISTS (SELECT FROM ${ids.named} WHERE ${found('named.id', ids.lock)} IS NULL)`;
    });
  return ['true', ...conditions].join(' AND ');
}
