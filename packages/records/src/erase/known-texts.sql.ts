import { type Db, type Statement, statement } from '@relata/db';
import { perTable, type RecordTable } from '../table/record-table.ts';

/** Columns that together are the name of a person. */
const nameColumns = ['first_name', 'last_name'];

interface Known {
  id: string;
  email: string | null;
  name: string | null;
}

const knowing = perTable((table) => statement<Known>(`${table.name}.known_texts`, knownSql(table)));

/**
 * Returns texts that identify a record, and those merged into it, elsewhere: their ids, and the e-mail addresses and full
 * names of people. Names of other records are ordinary words.
 */
export async function findKnownTexts(
  db: Db,
  orgId: string,
  table: RecordTable<unknown>,
  id: string,
): Promise<string[]> {
  const rows = await db.query(knowing(table) as Statement<Known>, [orgId, id]);
  return [...new Set([id.toLowerCase(), ...rows.flatMap((row) => [row.id, row.email ?? [], row.name ?? []].flat())])];
}

function knownSql({ name, eventName, shown }: RecordTable<unknown>): string {
  const has = (column: string) => shown.some((each) => each.name === column);
  const email = has('email') ? `record ->> 'email'` : 'NULL';
  const fullName = nameColumns.every(has)
    ? nameColumns.map((each) => `(record ->> '${each}')`).join(` || ' ' || `)
    : 'NULL';
  return `
    WITH RECURSIVE merged AS (
      SELECT $2::uuid AS id UNION SELECT t.id FROM merged m JOIN trash t ON t.org_id = $1 AND t.merged_into = m.id
    )
    SELECT id, ${email} AS email, ${fullName} AS name FROM (
      SELECT t.id, t.record FROM merged m JOIN trash t ON t.org_id = $1 AND t.id = m.id AND t.resource = '${eventName}'
      UNION ALL SELECT r.id, row_to_json(r) FROM ${name} r WHERE r.org_id = $1 AND r.id = $2
    ) known`;
}
