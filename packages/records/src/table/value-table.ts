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

/** Values that are looked up one by one, so that the planner can start from the rarest. */
const lookedUpMax = 4;

/** Returns SQL for rows `r` of the records that have all of several values; `count` is their number, without repeats. */
export function havingAll(table: ValueTable, given: string, count: number): string {
  const { name, value } = table;
  const others = (condition: string) =>
    `FROM ${name} v WHERE v.org_id = $1 AND v.id = r.id AND v.${value} = ${condition}`;
  const lookedUp = Array.from({ length: Math.min(count, lookedUpMax) - 1 }, (_, i) => `(${given})[${i + 2}]`);
  return [
    havingOne(table, `(${given})[1]`),
    ...lookedUp.map((each) => `EXISTS (SELECT ${others(each)})`),
    ...(count > lookedUpMax ? [`(SELECT count(*) ${others(`ANY (${given})`)}) = ${count}`] : []),
  ].join(' AND ');
}
