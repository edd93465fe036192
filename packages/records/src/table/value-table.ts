/** A table with a row for each value in a list of a record. Triggers keep it, so that no statement that writes has to. */
export interface ValueTable {
  name: string;
  /** Column with the value. */
  value: string;
}

/** Returns SQL for rows `r` of the records that have a value, in the order of their ids: what follows FROM. */
export const havingOne = ({ name, value }: ValueTable, given: string) =>
  `${name} r WHERE r.org_id = $1 AND r.${value} = ${given}`;

/** Returns SQL for rows `r` of the records that have one of several values, each record once. */
export const havingAny = ({ name, value }: ValueTable, given: string) =>
  `(SELECT DISTINCT v.id FROM ${name} v WHERE v.org_id = $1 AND v.${value} = ANY (${given})) r WHERE true`;

/** Values whose records are counted to find the rarest, and records that are counted of each. */
const countedValuesMax = 8;
const countedRecordsMax = 5_000;

/**
 * Returns SQL for rows `r` of the records that have all of several values; `count` is their number, without repeats. Reads
 * the records of the rarest and looks up the others. The planner does not choose, because it knows nothing of the values
 * of small organizations: for each record of one value it would read all of another.
 */
export function havingAll(table: ValueTable, given: string, count: number): string {
  const { name, value } = table;
  const counted = `SELECT count(*) FROM (
      SELECT FROM ${name} v WHERE v.org_id = $1 AND v.${value} = each.value LIMIT ${countedRecordsMax + 1}
    ) counted`;
  const rarest = `SELECT each.value FROM unnest((${given})[1:${countedValuesMax}]) AS each (value) ORDER BY (${counted}) LIMIT 1`;
  const had = `SELECT count(*) FROM ${name} v WHERE v.org_id = $1 AND v.id = r.id AND v.${value} = ANY (${given})`;
  return `${havingOne(table, `(${rarest})`)} AND (${had}) = ${count}`;
}
