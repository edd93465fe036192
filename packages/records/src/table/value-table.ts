/**
 * A table with a row for each value in a list of a record. Triggers maintain it, so that writing statements need not.
 */
export interface ValueTable {
  name: string;
  /** Column with the value. */
  value: string;
}

/**
 * Returns SQL that follows FROM, for rows `r` of the records that have a value. An index yields them in the order of
 * their ids.
 */
export const havingOne = ({ name, value }: ValueTable, given: string) =>
  `${name} r WHERE r.org_id = $1 AND r.${value} = ${given}`;

/** Returns SQL for rows `r` of the records that have one of several values, each record once. */
export const havingAny = ({ name, value }: ValueTable, given: string) =>
  `(SELECT DISTINCT v.id FROM ${name} v WHERE v.org_id = $1 AND v.${value} = ANY (${given})) r WHERE true`;

/** Maximum number of values whose records are counted, and of records counted for each value. */
const countedValuesMax = 8;
const countedRecordsMax = 10_000;

/**
 * Returns SQL for rows `r` of the records that have all of several values; `count` is the number of distinct values.
 * Reads the records of the rarest value and looks up their other values. If no value is rare, it reads the records of
 * two values in the order of their ids and looks up the rest. It then uses a full join, which is never a nested loop.
 * The choice is not left to the planner, because it has no statistics about the values of small organizations: for each
 * record of one value, it would read all records of another.
 */
export function havingAll(table: ValueTable, given: string, count: number): string {
  const { name, value } = table;
  const having = (of: string) => `${name} v WHERE v.org_id = $1 AND v.${value} = ${of}`;
  const had = (id: string) =>
    `(SELECT count(*) FROM ${name} h WHERE h.org_id = $1 AND h.id = ${id} AND h.${value} = ANY (${given})) = ${count}`;
  const rare = (at: number) => `(SELECT c.value FROM counted c ORDER BY c.n, c.value OFFSET ${at} LIMIT 1)`;
  const hasRare = `(SELECT min(c.n) FROM counted c) <= ${countedRecordsMax}`;
  const inOrder = (at: number) => `(SELECT v.id FROM ${having(rare(at))} ORDER BY v.id OFFSET 0)`;
  return `(
      WITH counted AS MATERIALIZED (
        SELECT each.value, (SELECT count(*) FROM (SELECT FROM ${having('each.value')} LIMIT ${countedRecordsMax + 1}) few) AS n
        FROM unnest((${given})[1:${countedValuesMax}]) AS each (value)
      )
      SELECT v.id FROM ${having(rare(0))} AND ${hasRare} AND ${had('v.id')}
      UNION ALL SELECT matched.id FROM (
        SELECT one.id, other.id AS other_id FROM ${inOrder(0)} one FULL JOIN ${inOrder(1)} other ON other.id = one.id OFFSET 0
      ) matched WHERE NOT ${hasRare} AND matched.id = matched.other_id ${count > 2 ? `AND ${had('matched.id')}` : ''}
    ) r WHERE true`;
}
