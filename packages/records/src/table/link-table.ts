/** A table that stores lists of ids, with a row for each id; `position` keeps their order. */
export interface LinkTable {
  name: string;
  /** Column with the id of the record that has the list. */
  record: string;
  /** Column with the id in the list. */
  linked: string;
}

/** Returns SQL for the list of the record `r`, in the order in which it was sent. */
export function linkedIds({ name, record, linked }: LinkTable): string {
  return `ARRAY(SELECT l.${linked} FROM ${name} l WHERE l.org_id = r.org_id AND l.${record} = r.id ORDER BY l.position)`;
}

/**
 * Returns a condition that the list of the record `r` of organization $1 has an id for which `isOne` holds. The
 * subquery starts from the links with such ids, which are few, rather than from all records.
 */
export function isLinkedTo({ name, record, linked }: LinkTable, isOne: (column: string) => string): string {
  return `r.id IN (SELECT l.${record} FROM ${name} l WHERE l.org_id = $1 AND ${isOne(`l.${linked}`)})`;
}

/** Returns SQL that inserts the lists in the column `list` of `rows`, which have the columns `org_id` and `id`. */
export function insertLinks({ name, record, linked }: LinkTable, rows: string, list: string): string {
  return `INSERT INTO ${name} (org_id, ${record}, ${linked}, position)
    SELECT o.org_id, o.id, link.id, link.position
    FROM ${rows} o, unnest(o.${list}) WITH ORDINALITY AS link (id, position)`;
}
