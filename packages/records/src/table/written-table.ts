import type { ReferringTable } from '../writes/record-rules.ts';
import type { Column } from './record-column.ts';

/** Properties of a table that the writing statements need. */
export interface WrittenTable extends ReferringTable {
  columns: readonly Column[];
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
 * empty table.
 */
export function namesExist({ columns, references }: WrittenTable, valueOf: (column: Column) => string): string {
  const conditions = columns
    .filter(({ name }) => references[name])
    .map((column) => {
      const [value, target] = [valueOf(column), references[column.name]!];
      const found = (id: string) =>
        `(SELECT true FROM ${target} t WHERE t.org_id = given.org_id AND t.id = ${id} LIMIT 1)`;
      return column.type === 'uuid[]'
        ? `NOT EXISTS (SELECT FROM unnest(${value}) AS named (id) WHERE ${found('named.id')} IS NULL)`
        : `(${value} IS NULL OR ${found(value)})`;
    });
  return ['true', ...conditions].join(' AND ');
}
