import { type Database, statement } from '@relata/db';
import { buildIndexes } from '@relata/records';

const alike = { first: 'Ada', last: 'Lovelace', company: 'Kumo' };
const alikeEvery = 20;
/** Number of contacts that share an email address, and the interval in rows at which such contacts are planted. */
const groupOf = 4;
const plantedEvery = 500;
const chunkRows = 50_000;

/** Inserts contacts by their row number `i`. Email address and name differ in every row, except in planted ones. */
const insert = statement<never>(
  'bench.planted',
  `INSERT INTO contacts (org_id, id, first_name, last_name, title, email, company, tags)
   SELECT $1::uuid, uuidv7(make_interval(secs => -($3::int - i))),
     CASE WHEN i % ${alikeEvery} = 7 THEN '${alike.first}' ELSE 'First ' || i END,
     CASE WHEN i % ${alikeEvery} = 7 THEN '${alike.last}' ELSE 'Last ' || i % 5000 END,
     'Head of ' || i % 100,
     CASE WHEN i % ${plantedEvery} = 0 THEN 'Planted-' || (i - 1) / ${plantedEvery * groupOf} || '@Example.com'
       ELSE 'person-' || i || '@company-' || i % 5000 || '.example' END,
     CASE WHEN i % ${alikeEvery} = 7 THEN '${alike.company}' ELSE 'Company ' || i % 5000 END,
     ARRAY['tag-' || i % 200]
   FROM generate_series($2::int, least($2::int + ${chunkRows - 1}, $3::int)) i`,
);

/** Adds contacts to an organization. The indexes that the searches need are built afterwards. */
export async function plantDuplicates(database: Database, url: string, orgId: string, rows: number): Promise<void> {
  const run = (sql: string) => database.query(statement<never>('', sql), []);
  for (const { name } of await database.query(indexesOfContacts, [])) await run(`DROP INDEX ${name}`);
  for (let first = 1; first <= rows; first += chunkRows) await database.query(insert, [orgId, first, rows]);
  await run(
    'CREATE INDEX contacts_email ON contacts (org_id, hashtextextended(lower(email), 0), id) WHERE email IS NOT NULL',
  );
  await buildIndexes({ url, names: ['contacts.name_company'] });
  await run('VACUUM ANALYZE contacts');
}

const indexesOfContacts = statement<{ name: string }>(
  'bench.indexes',
  `SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indrelid = 'contacts'::regclass AND NOT indisprimary`,
);

/** Returns the planted groups of each comparison: the number of records by the value that they share. */
export function plantedGroups(rows: number): Record<'email' | 'name_company', Map<string, number>> {
  const email = new Map<string, number>();
  for (let i = plantedEvery; i <= rows; i += plantedEvery) {
    const value = `planted-${Math.floor((i - 1) / (plantedEvery * groupOf))}@example.com`;
    email.set(value, (email.get(value) ?? 0) + 1);
  }
  for (const [value, count] of email) if (count === 1) email.delete(value);
  const { first, last, company } = alike;
  return { email, name_company: new Map([[[first, last, company].join(', ').toLowerCase(), rows / alikeEvery]]) };
}
