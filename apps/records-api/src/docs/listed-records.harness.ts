import { createApiKey, createOrganization } from '@relata/auth';
import type { Db } from '@relata/db';
import { systemActor } from '@relata/events';
import {
  accounts,
  contacts,
  customActivities,
  insertRecords,
  newRow,
  opportunities,
  pipelines,
  type RecordTable,
  stages,
  users,
} from '@relata/records';
import type { Account } from '@relata/schemas';
import { type ApiClient, apiClient, until } from '@relata/testing';

type Row = Record<string, unknown>;

/** Variables that the recipes of `docs/lists.md` use. */
export interface Variables {
  RELATA: string;
  KEY: string;
  GRACE: string;
  QUALIFIED: string;
  PROPOSAL: string;
  ACCOUNT: string;
  CONTACT: string;
  SINCE: string;
}

/**
 * Creates an organization with the records that the recipes of `docs/lists.md` find, and with similar records that they
 * must not find.
 */
export async function createListed(db: Db, url: string): Promise<Variables> {
  const { id: orgId } = await createOrganization(db, 'Listed');
  const scopes = ['records:read', 'records:write', 'events:read'] as const;
  const { key } = await createApiKey(db, orgId, { name: 'lists', kind: 'secret', scopes });
  const insert = <Rec>(table: RecordTable<Rec>, rows: readonly Row[]) =>
    insertRecords(
      db,
      table,
      rows.map((row) => newRow(systemActor(orgId, 'listed'), table, row)),
    );
  const [grace, alan] = await insert(users, userRows);
  const [pipeline] = await insert(pipelines, [{ name: 'Sales', active: true, is_default: true }]);
  const steps = await insert(
    stages,
    stageRows.map((row) => ({ ...row, pipeline_id: pipeline!.id })),
  );
  const [robotics, bakery] = await insert(accounts, accountRows);
  const [ada, , zoe] = await insert(contacts, [
    { ...contactRows[0], account_id: robotics!.id },
    { ...contactRows[1], account_id: bakery!.id },
    { ...contactRows[2], account_id: robotics!.id },
  ]);
  const [qualified, proposal, won] = steps.map(({ id }) => id);
  await insert(
    opportunities,
    deals({ grace: grace!.id, alan: alan!.id, qualified, proposal, won }).map((deal) => ({
      account_id: robotics!.id,
      ...deal,
    })),
  );
  await insert(customActivities, [
    { interaction_type: 'custom_activity', content: 'Met Ada.', tags: [], contact_ids: [ada!.id], opportunity_ids: [] },
    { interaction_type: 'custom_activity', content: 'Met Zoe.', tags: [], contact_ids: [zoe!.id], opportunity_ids: [] },
  ]);
  return {
    RELATA: url,
    KEY: key,
    GRACE: grace!.id,
    QUALIFIED: qualified!,
    PROPOSAL: proposal!,
    ACCOUNT: robotics!.id,
    CONTACT: ada!.id,
    SINCE: await createLater(apiClient(url, key), bakery!),
  };
}

/**
 * Creates an account later than all other records, and then changes an older account. Returns the creation time of the
 * new account.
 */
async function createLater(client: ApiClient, { id, created_at: before }: Account) {
  await until(() => {
    if (Date.now() <= Date.parse(before!) + 1) throw new Error('The clock has not moved.');
  });
  const { body } = await client('POST', '/v1/records/accounts', { body: { account_name: 'Kumo Logistics' } });
  await client('PATCH', `/v1/records/accounts/${id}`, { body: { city: 'Aarhus' } });
  return body.data.created_at as string;
}

const userRows = [
  { email: 'grace@acme.example', first_name: 'Grace', last_name: 'Hopper', role: 'member', status: 'active' },
  { email: 'alan@acme.example', first_name: 'Alan', last_name: 'Turing', role: 'member', status: 'active' },
];

const stageRows = [
  { name: 'Qualified', is_won: false, is_lost: false, is_closed: false },
  { name: 'Proposal', is_won: false, is_lost: false, is_closed: false },
  { name: 'Won', is_won: true, is_lost: false, is_closed: true },
  { name: 'Lost', is_won: false, is_lost: true, is_closed: true },
].map((stage, at) => ({ ...stage, active: true, display_order: at + 1 }));

const accountRows = [
  { account_name: 'Example Robotics', domain: 'robotics.example', tags: ['robotics'] },
  { account_name: 'Northwind Bakery', domain: 'northwind.example', tags: [] },
  { account_name: 'Northwind', domain: 'https://www.Northwind.example/', tags: [] },
];

const contactRows = [
  { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@robotics.example', tags: ['vip'] },
  { first_name: 'Søren', last_name: 'Holm', email: 'soren@northwind.example', tags: ['vip', 'press'] },
  { first_name: 'Zoe', last_name: 'Zhang', email: 'zoe@robotics.example', tags: [] },
];

interface Ids {
  grace: string;
  alan: string;
  qualified: string | undefined;
  proposal: string | undefined;
  won: string | undefined;
}

/**
 * Returns thirteen open deals of Grace, and three larger deals: one without a stage, one that is closed, and one that
 * belongs to Alan.
 */
function deals({ grace, alan, qualified, proposal, won }: Ids): Row[] {
  const ofGrace = { owner_id: grace, tags: [] };
  const small = Array.from({ length: 10 }, (_, at) => ({
    ...ofGrace,
    opportunity_name: `Deal ${at + 1}`,
    amount: (at + 1) * 4_000,
    stage_id: qualified,
  }));
  return [
    {
      ...ofGrace,
      opportunity_name: 'Forty arms for the new line',
      amount: 125_000.5,
      stage_id: proposal,
      close_date: '2026-12-31T00:00:00.000Z',
    },
    ...small,
    { ...ofGrace, opportunity_name: 'Spare parts', amount: 50_000, stage_id: proposal },
    { ...ofGrace, opportunity_name: 'Without an amount', stage_id: qualified, close_date: '2027-01-01T00:00:00.000Z' },
    { ...ofGrace, opportunity_name: 'Without a stage', amount: 700_000 },
    { ...ofGrace, opportunity_name: 'Won', amount: 900_000, stage_id: won, close_date: '2026-10-01T00:00:00.000Z' },
    { owner_id: alan, tags: [], opportunity_name: 'Of Alan', amount: 800_000, stage_id: qualified },
  ];
}
