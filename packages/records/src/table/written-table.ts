import type { ReferringTable } from '../writes/record-rules.ts';
import type { Column } from './record-column.ts';

/** What the statements that write need of a table. */
export interface WrittenTable extends ReferringTable {
  columns: readonly Column[];
  /** What its events are called: `account`, of `account.created`. */
  eventName: string;
  /**
   * Where a record is more than one row: the parts of a WITH clause that insert the rows `given`, and end with
   * `inserted`, which has the columns as they are shown.
   */
  insertSql?: string;
}

/** What each row to be written carries of its event. */
export const eventColumns = 'event_id uuid, event_actor json, event_request text, event_depth smallint';

/**
 * A condition on a row to be written: all that it names is there. A foreign key that breaks would take the whole
 * statement with it, and all rows of other requests. LIMIT keeps each look-up on the primary key, whatever the planner
 * knows of a table that was empty when it looked.
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
