import { type Db, statement } from '@relata/db';

export interface SkewedRecords {
  accounts: number;
  contacts: number;
  opportunities: number;
  activities: number;
  users: number;
  pipelines: number;
}

/** Number of rows per statement: few enough to stay within its timeout. */
const chunkRows = 25_000;

/** SQL for a random number from 1 to `n` - 1. The number k is about 1/k as frequent as 1. */
const zipf = (n: number) => `floor(power(${n}, random()))::int`;

/** SQL for an element of an array. As a subquery, the array is computed only once per statement. */
const pick = (array: string, index: string) => `(${array})[${index}]`;
const idsOf = (table: string) => `SELECT array_agg(id) FROM ${table} WHERE org_id = $1`;
const countOf = (table: string) => `(SELECT count(*)::int FROM ${table} WHERE org_id = $1)`;

/** Half of the records belong to 1 % of the accounts. */
const accountId = pick(
  idsOf('accounts'),
  `1 + floor(random() * ${countOf('accounts')} * CASE WHEN random() < 0.5 THEN 0.01 ELSE 1 END)::int`,
);
const ownerId = `CASE WHEN random() < 0.7 THEN ${pick(idsOf('users'), `floor(power(${countOf('users')}, random()))::int`)} END`;
const stageId = pick(idsOf('stages'), `least(${zipf(7)}, ${countOf('stages')})`);
const anyOf = (table: string) => pick(idsOf(table), `1 + floor(random() * ${countOf(table)})::int`);
const tags = `array_remove(ARRAY[${[0.7, 0.5, 0.3]
  .map((share) => `CASE WHEN random() < ${share} THEN 'tag-' || ${zipf(200)} END`)
  .join(', ')}], NULL)`;
const crmId = `CASE WHEN random() < 0.5 THEN 'crm-' || i END`;

const syllables = `'ba,do,ke,li,mu,na,po,ra,si,tu,ve,wo,xi,ya,za,che,bri,sto,gra,lin'`;
const syllable = pick(`SELECT string_to_array(${syllables}, ',')`, zipf(20));
const name = `initcap(${syllable} || ${syllable} || ${syllable})`;
const time = `now() - make_interval(mins => i)`;

/** Columns of each table with SQL for their values. `i` is the age of the row in minutes, and is unique. */
const columns = {
  accounts: {
    account_name: `${name} || CASE WHEN random() < 0.5 THEN ' Robotics' ELSE ' Trading' END`,
    domain: `'company-' || i || '.example'`,
    city: `'Zurich'`,
    sales_status: pick(
      `SELECT ARRAY['lead', 'working', 'pipeline', 'renewal_growth', 'closed_lost', 'churned', NULL]`,
      zipf(8),
    ),
    tags,
    crm_id: crmId,
    owner_id: ownerId,
  },
  contacts: {
    first_name: name,
    last_name: name,
    title: `'Head of ' || i % 100`,
    email: `'person-' || i || '@company-' || i % 5000 || '.example'`,
    company: `'Company ' || i % 5000`,
    tags,
    crm_id: crmId,
    account_id: `CASE WHEN random() < 0.9 THEN ${accountId} END`,
    owner_id: ownerId,
  },
  opportunities: {
    opportunity_name: `${name} || ' ' || ${name}`,
    account_id: accountId,
    amount: `CASE WHEN random() < 0.8 THEN round(exp(random() * 10)::numeric, 2) END`,
    close_date: `CASE WHEN random() < 0.7 THEN date_trunc('day', now() + (random() - 0.7) * interval '2 years') END`,
    stage_id: `CASE WHEN random() < 0.9 THEN ${stageId} END`,
    contact_ids: `CASE WHEN random() < 0.5 THEN '{}' ELSE ARRAY[${anyOf('contacts')}] END`,
    tags,
    crm_id: crmId,
    owner_id: ownerId,
  },
  custom_activities: {
    content: `'Called ' || ${name}`,
    source: pick(`SELECT ARRAY['api', 'phone', 'fair', 'form', 'chat', 'letter']`, zipf(7)),
    date_time: `${time} - random() * interval '1 day'`,
    owner_id: ownerId,
    tags,
  },
  users: {
    email: `'user-' || i || '@example.com'`,
    first_name: name,
    last_name: name,
    role: `'member'`,
    status: `'active'`,
  },
  pipelines: { name: `'Pipeline ' || i`, active: 'true', is_default: 'i = 1' },
} satisfies Record<string, Record<string, string>>;

/** SQL for a creation time. For a tenth of the records it is earlier than their ids, as if they had been imported. */
const createdAt = `${time} - CASE WHEN random() < 0.1 THEN random() * interval '1 year' ELSE '0' END`;

async function insertRows(db: Db, orgId: string, table: keyof typeof columns, count: number): Promise<void> {
  const own = columns[table];
  const insert = statement<never>(
    `testing.skewed_${table}`,
    `INSERT INTO ${table} (org_id, id, created_at, updated_at, ${Object.keys(own).join(', ')})
     SELECT $1::uuid, uuidv7(make_interval(mins => -i)), ${createdAt}, ${time}, ${Object.values(own).join(', ')}
     FROM generate_series($2::int, $3::int, -1) i`,
  );
  // Ids ascend, as if the rows had been inserted one after the other.
  for (let last = count; last > 0; last -= chunkRows)
    await db.query(insert, [orgId, last, Math.max(1, last - chunkRows + 1)]);
}

const insertStages = statement<never>(
  'testing.skewed_stages',
  `INSERT INTO stages (org_id, id, pipeline_id, name, is_won, is_lost, is_closed, active, display_order)
   SELECT org_id, uuidv7(), id, 'Stage ' || i, i = 5, i = 6, i > 4, true, i
   FROM pipelines, generate_series(1, 6) i WHERE org_id = $1`,
);

const insertLinks = (kind: 'contact' | 'opportunity', records: string, share: number) =>
  statement<never>(
    `testing.skewed_${kind}_links`,
    `INSERT INTO custom_activity_${records} (org_id, activity_id, ${kind}_id, position)
     SELECT org_id, id, ${pick(idsOf(records), `floor(power(${countOf(records)}, random()))::int`)}, 1
     FROM custom_activities WHERE org_id = $1 AND random() < ${share}`,
  );

/**
 * Adds records to an organization with a realistic distribution: few accounts, owners, stages and tags have most of the
 * records, and many records have no owner.
 */
export async function insertSkewedRecords(db: Db, orgId: string, counts: SkewedRecords): Promise<void> {
  await insertRows(db, orgId, 'users', counts.users);
  await insertRows(db, orgId, 'pipelines', counts.pipelines);
  await db.query(insertStages, [orgId]);
  await insertRows(db, orgId, 'accounts', counts.accounts);
  await insertRows(db, orgId, 'contacts', counts.contacts);
  await insertRows(db, orgId, 'opportunities', counts.opportunities);
  await insertRows(db, orgId, 'custom_activities', counts.activities);
  if (counts.contacts > 0) await db.query(insertLinks('contact', 'contacts', 0.7), [orgId]);
  if (counts.opportunities > 0) await db.query(insertLinks('opportunity', 'opportunities', 0.3), [orgId]);
}
