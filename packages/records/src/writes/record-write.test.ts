import { StandaloneUnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { contacts } from '../contacts/contact.table.ts';
import { customActivities } from '../custom-activities/custom-activity.table.ts';
import { opportunities } from '../opportunities/opportunity.table.ts';
import { findRecord } from '../record.sql.ts';
import { validateCreate, validateUpdate } from '../table/record-fields.ts';
import type { RecordTable } from '../table/record-table.ts';
import { createRecord } from './create-record.ts';
import { patchRecord } from './patch-record.ts';
import { invalid, openTestRecords, type TestRecords } from '../records.harness.ts';

let records: TestRecords;
let orgId: string;
let actor: Actor;
let account: string;
let stage: string;
let theirAccount: string;
let theirStage: string;

beforeAll(async () => {
  records = await openTestRecords();
  ({ orgId, actor } = records);
  account = (await records.insert(accounts, { account_name: 'Ours' })).id;
  stage = await records.insertStage('Sales');
  theirAccount = (await records.insert(accounts, { account_name: 'Theirs' }, records.otherOrgId)).id;
  theirStage = await records.insertStage('Sales', records.otherOrgId);
});
afterAll(() => records[Symbol.asyncDispose]());

const create = <Rec>(table: RecordTable<Rec>, fields: object) =>
  records.transaction((db) => createRecord(db, actor, table, validateCreate(table, fields)));
const update = <Rec>(table: RecordTable<Rec>, id: string, patch: object) =>
  records.transaction(
    async (db) => (await patchRecord(db, actor, table, { id, patch: validateUpdate(table, patch) })).record,
  );
const stored = <Rec>(table: RecordTable<Rec>, id: string) => findRecord(records.db.database, orgId, table, id);
const deal = (fields: object = {}) => ({ opportunity_name: 'Deal', account_id: account, ...fields });

test('a record can be created and changed within a transaction, and is stored with it', async () => {
  const created = await create(contacts, { first_name: 'Ada', last_name: 'L', tags: ['a'], email: null });
  expect(created).toMatchObject({ first_name: 'Ada', tags: ['a'] });
  expect(await stored(contacts, created.id)).toEqual(created);
  const updated = await update(contacts, created.id, { tags: null, title: 'Countess' });
  expect(updated).toMatchObject({ first_name: 'Ada', tags: [], title: 'Countess' });
  expect(await stored(contacts, created.id)).toEqual(updated);
});

test("another organization's record, and a missing one, are not found", async () => {
  const notFound = { name: 'AppError', code: 'not_found' };
  await expect(update(accounts, theirAccount, { account_name: 'Mine' })).rejects.toMatchObject(notFound);
  await expect(update(accounts, theirAccount, {})).rejects.toMatchObject(notFound);
  await expect(update(opportunities, stage, { stage_id: stage })).rejects.toMatchObject(notFound);
  await expect(update(accounts, 'nonsense', {})).rejects.toMatchObject(invalid('id invalid_format'));
  expect(await findRecord(records.db.database, records.otherOrgId, accounts, theirAccount)).toMatchObject({
    account_name: 'Theirs',
  });
});

test('every missing reference is reported by name, and the transaction continues', async () => {
  const bad = deal({ account_id: theirAccount, stage_id: theirStage });
  const marker = await records.transaction(async (db) => {
    const refused = createRecord(db, actor, opportunities, validateCreate(opportunities, bad));
    await expect(refused).rejects.toMatchObject(invalid('account_id invalid_reference', 'stage_id invalid_reference'));
    return createRecord(db, actor, accounts, { account_name: 'After' });
  });
  expect(await stored(accounts, marker.id)).toEqual(marker);
});

test('if a missing reference ends the transaction, nothing of the transaction is stored', async () => {
  let first = '';
  const run = records.transaction(async (db) => {
    first = (await createRecord(db, actor, accounts, { account_name: 'Before' })).id;
    await createRecord(db, actor, customActivities, { content: 'x', owner_id: stage, contact_ids: [account] });
  });
  const missing = invalid('owner_id invalid_reference', 'contact_ids invalid_reference');
  await expect(run).rejects.toMatchObject(missing);
  expect(first).not.toBe('');
  expect(await stored(accounts, first)).toBeUndefined();
});

test('the references of a patch are checked, too', async () => {
  const { id } = await create(opportunities, deal());
  await expect(update(opportunities, id, { account_id: theirAccount })).rejects.toMatchObject(
    invalid('account_id invalid_reference'),
  );
  await expect(update(opportunities, id, { stage_id: theirStage })).rejects.toMatchObject(
    invalid('stage_id invalid_reference'),
  );
});

test('a record created earlier in the transaction can be referred to', async () => {
  const activity = await records.transaction(async (db) => {
    const { id } = await createRecord(db, actor, accounts, { account_name: 'New' });
    const made = await createRecord(db, actor, opportunities, deal({ account_id: id }));
    const links = { content: 'Met', opportunity_ids: [made.id, made.id.toUpperCase(), made.id] };
    return createRecord(db, actor, customActivities, validateCreate(customActivities, links));
  });
  expect(activity.opportunity_ids).toHaveLength(1);
  expect(await stored(customActivities, activity.id)).toEqual(activity);
});

test('an activity may have no links, and gets the defaults of the API', async () => {
  const activity = await create(customActivities, { content: 'Called', contact_ids: null });
  expect(activity).toMatchObject({ source: 'api', direction: null, contact_ids: [], opportunity_ids: [] });
});

test('stage and pipeline agree, whichever is given', async () => {
  const created = await create(opportunities, deal({ stage_id: stage }));
  expect(created.pipeline).toBe('Sales');
  const disagreeing = invalid('pipeline invalid_reference');
  await expect(create(opportunities, deal({ stage_id: stage, pipeline: 'X' }))).rejects.toMatchObject(disagreeing);
  await expect(update(opportunities, created.id, { pipeline: 'X' })).rejects.toMatchObject(disagreeing);
  const renewals = await records.insertStage('Renewals');
  expect(await update(opportunities, created.id, { stage_id: renewals })).toMatchObject({ pipeline: 'Renewals' });
  expect(await update(opportunities, created.id, { stage_id: null, pipeline: 'Free' })).toMatchObject({
    pipeline: 'Free',
  });
});

test('workflows write, change and clear crm_id', async () => {
  const created = await create(accounts, { account_name: 'Tied', crm_id: 'crm-7' });
  expect(created.crm_id).toBe('crm-7');
  expect(await update(accounts, created.id, { city: 'Bern' })).toMatchObject({ crm_id: 'crm-7' });
  expect(await update(accounts, created.id, { crm_id: 'crm-8' })).toMatchObject({ crm_id: 'crm-8' });
  expect(await update(accounts, created.id, { crm_id: null })).not.toHaveProperty('crm_id');
});

test.each(['', 5, {}, 'x\u0000', 'x'.repeat(2_049)])('rejects the crm_id %j', (crm_id) => {
  const codes = expect.stringMatching(/^(too_short|invalid_type|invalid_format|too_long)$/);
  const details = [expect.objectContaining({ field: 'crm_id', code: codes })];
  for (const validate of [validateCreate, validateUpdate])
    expect(() => validate(accounts, { account_name: 'A', crm_id })).toThrow(
      expect.objectContaining({ code: 'validation_error', details }),
    );
});

test('checks fields as the API does, and reports every problem at once', () => {
  const fields = { domain: 5, nonsense: 1, crm_id: '' };
  const problems = ['account_name required', 'domain invalid_type', 'nonsense unknown_field', 'crm_id too_short'];
  expect(() => validateCreate(accounts, fields)).toThrow(expect.objectContaining(invalid(...problems)));
  const patch = { account_name: null };
  expect(() => validateUpdate(accounts, patch)).toThrow(
    expect.objectContaining(invalid('account_name null_not_allowed')),
  );
  for (const nothing of [null, undefined, 'text', [1]])
    expect(() => validateUpdate(accounts, nothing)).toThrow(expect.objectContaining({ code: 'validation_error' }));
});

test('accepts a record as it was read, and ignores the fields that the service sets', () => {
  const read = { id: account, account_name: 'A', crm_id: 'c', created_at: 'x', updated_at: 'y' };
  expect(validateUpdate(accounts, read)).toEqual({ account_name: 'A', crm_id: 'c' });
});

test('a write needs few statements', async () => {
  const seen: string[] = [];
  await records.transaction(async (db) => {
    const counting = new StandaloneUnitDb((prepared, values) => {
      seen.push(prepared.name);
      return db.query(prepared, values);
    });
    await createRecord(counting, actor, accounts, { account_name: 'A' });
    await createRecord(counting, actor, customActivities, { content: 'x', owner_id: null, contact_ids: [] });
    await createRecord(counting, actor, opportunities, deal());
  });
  const expected = ['accounts.insert', 'custom_activities.insert', 'opportunities.insert'];
  expect(seen).toEqual(expected);
});
