import type { Db } from '@relata/db';
import { operatorActor } from '@relata/events';
import {
  accounts,
  contacts,
  insertRecords,
  newRow,
  opportunities,
  pipelines,
  type RecordTable,
  stages,
  users,
} from '@relata/records';
import type { StackOrganization } from '../stack/stack-file.ts';

type Row = Record<string, unknown>;

const stageRows = [
  { name: 'Qualified', display_order: 1 },
  { name: 'Proposal', display_order: 2, entry_criteria: 'Budget and decision maker are known.' },
  { name: 'Won', display_order: 3, is_won: true, is_closed: true },
  { name: 'Lost', display_order: 4, is_lost: true, is_closed: true },
].map((stage) => ({ is_won: false, is_lost: false, is_closed: false, active: true, ...stage }));

const accountRows = [
  {
    account_name: 'Example Robotics',
    domain: 'robotics.example',
    city: 'Zürich',
    country: 'Switzerland',
    sales_status: 'working',
    tags: ['robotics'],
  },
  {
    account_name: 'Northwind Bakery',
    domain: 'northwind.example',
    city: 'Aarhus',
    country: 'Denmark',
    relationship_type: 'customer',
  },
  {
    account_name: 'Kumo Logistics',
    domain: 'kumo.example',
    city: '大阪',
    country: 'Japan',
    sales_status: 'lead',
    tags: ['inbound'],
  },
];

const contactRows = [
  {
    first_name: 'Ada',
    last_name: 'Lovelace',
    title: 'Head of Engines',
    email: 'ada@robotics.example',
    company: 'Example Robotics',
  },
  {
    first_name: 'Søren',
    last_name: 'Holm',
    title: 'Owner',
    email: 'soren@northwind.example',
    company: 'Northwind Bakery',
  },
];

const userRows = [
  { email: 'grace@acme.example', first_name: 'Grace', last_name: 'Hopper', role: 'admin', status: 'active' },
  {
    email: 'alan@acme.example',
    first_name: 'Alan',
    last_name: 'Turing',
    role: 'member',
    status: 'active',
    job_function: 'Sales',
  },
];

type Filled = Required<Pick<StackOrganization, 'users' | 'pipelines' | 'stages'>>;

/** Creates the records of a small company, so that the first list a newcomer requests is not empty. */
export async function fillAcme(db: Db, orgId: string): Promise<Filled> {
  const insert = <Rec>(table: RecordTable<Rec>, rows: readonly Row[]) =>
    insertRecords(
      db,
      table,
      rows.map((row) => newRow(operatorActor(orgId, 'demo'), table, row)),
    );

  const members = await insert(users, userRows);
  const [pipeline] = await insert(pipelines, [{ name: 'Sales', active: true, is_default: true }]);
  const steps = await insert(
    stages,
    stageRows.map((row) => ({ ...row, pipeline_id: pipeline!.id })),
  );
  const [grace, alan] = members;
  const [robotics, bakery] = await insert(
    accounts,
    accountRows.map((row) => ({ ...row, owner_id: grace!.id })),
  );
  const [ada] = await insert(contacts, [
    { ...contactRows[0], account_id: robotics!.id, owner_id: alan!.id },
    { ...contactRows[1], account_id: bakery!.id, owner_id: grace!.id },
  ]);
  await insert(opportunities, [
    {
      opportunity_name: 'Forty arms for the new line',
      account_id: robotics!.id,
      amount: 125_000.5,
      stage_id: steps[0]!.id,
      pipeline: 'Sales',
      owner_id: grace!.id,
      contact_ids: [ada!.id],
    },
  ]);
  return {
    users: members.map(({ id, email }) => ({ id, email })),
    pipelines: [{ id: pipeline!.id, name: pipeline!.name }],
    stages: steps.map(({ id, name }) => ({ id, name })),
  };
}
