import { operatorActor } from '@relata/events';
import { accounts, contacts, createRecord, opportunities } from '@relata/records';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Browser, newOrganization } from './console-client.harness.ts';
import { startTestConsole, type TestConsole } from './console.harness.ts';

let served: TestConsole;
let orgId: string;
let admin: Browser;
const ids: Record<string, string> = {};
beforeAll(async () => {
  served = await startTestConsole();
  ({ orgId, admin } = await newOrganization(served.url, served.db));
  const other = await newOrganization(served.url, served.db);
  for (const id of [orgId, other.orgId]) await makeRecords(id);
});
afterAll(() => served[Symbol.asyncDispose]());

function makeRecords(org: string): Promise<void> {
  return served.db.database.transaction(async (db) => {
    const actor = operatorActor(org, 'test');
    const account = await createRecord(db, actor, accounts, {
      account_name: 'Robotics AG',
      domain: 'robotics.example',
    });
    const names = { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@robotics.example', crm_id: 'crm-7' };
    const contact = await createRecord(db, actor, contacts, names);
    const deal = { opportunity_name: 'Big deal', account_id: account.id, crm_id: 'crm-7' };
    const opportunity = await createRecord(db, actor, opportunities, deal);
    if (org === orgId) Object.assign(ids, { account: account.id, contact: contact.id, opportunity: opportunity.id });
  });
}

const find = async (value: string) => {
  const { status, body } = await admin.get(`/orgs/${orgId}/records?value=${encodeURIComponent(value)}`);
  expect(status).toBe(200);
  return body.data as { record_type: string; id: string; name: string; record: Record<string, unknown> }[];
};

test.each([
  ['ADA@robotics.example', ['contact Ada Lovelace']],
  ['Robotics.example', ['account Robotics AG']],
  ['robotics ag', ['account Robotics AG']],
  ['crm-7', ['contact Ada Lovelace', 'opportunity Big deal']],
  ['robotics', []],
  ["' OR '1'='1", []],
  ['%', []],
  ['\u202e\u200b', []],
])('%j finds the records with that whole value, in its own organization only (found B17)', async (value, wanted) => {
  const found = await find(value);
  expect(found.map(({ record_type, name }) => `${record_type} ${name}`)).toEqual(wanted);
  for (const { record_type, id } of found) expect(id).toBe(ids[record_type]);
});

test('an id finds its record with all of its fields (found B17)', async () => {
  const [found] = await find(ids['contact']!.toUpperCase());
  expect(found).toMatchObject({
    record_type: 'contact',
    record: { email: 'ada@robotics.example', last_name: 'Lovelace' },
  });
});

test.each(['', 'x'.repeat(256), 'a\u0000'])(
  'a value that no record can have is refused with an explanation',
  async (value) => {
    const { status, error } = await admin.get(`/orgs/${orgId}/records?value=${encodeURIComponent(value)}`);
    expect([status, error.details![0]!.field]).toEqual([400, 'value']);
  },
);
