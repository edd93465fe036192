import { LockedError, StandaloneUnitDb, runTogether, statement, type UnitDb, unitRunnerOf } from '@relata/db';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { contacts } from '../contacts/contact.table.ts';
import { customActivities } from '../custom-activities/custom-activity.table.ts';
import { opportunities } from '../opportunities/opportunity.table.ts';
import { insertRecords, newRow } from '../writes/create-record.ts';
import { openTestRecords, type TestRecords } from '../records.harness.ts';
import { deleteUnit } from '../writes/record-units.ts';
import { deleteRecord } from './delete-record.ts';
import { LinkBudget } from './linked-limit.ts';
import { movesToTrash } from './move-to-trash.sql.ts';

let records: TestRecords;
beforeAll(async () => void (records = await openTestRecords()));
afterAll(() => records[Symbol.asyncDispose]());

test.each([['by itself'], ['as an item of a batch']])(
  'a delete %s that changes more than 100 others leaves a transaction with other units, before it writes',
  async (how) => {
    const { actor, orgId, db } = records;
    const account = await records.insert(accounts, { account_name: 'Robotics' });
    const contacts = statement<never>(
      'test.insert_contacts',
      `INSERT INTO contacts (org_id, id, first_name, last_name, account_id)
       SELECT $1, gen_random_uuid(), 'Ada', 'Lovelace', $2 FROM generate_series(1, 101)`,
    );
    await db.database.query(contacts, [orgId, account.id]);
    const unit = deleteUnit(actor, accounts, {
      id: account.id,
      ...(how !== 'by itself' && { room: new LinkBudget() }),
    });
    const together = (waits: boolean) =>
      records.transaction((tx) => runTogether(tx, [(unitDb) => unitRunnerOf(unitDb).run(unit)], { waits }));
    expect(await together(false)).toMatchObject([
      { status: 'rejected', reason: { name: 'LockedError', isBulk: true } },
    ]);
    expect(await together(true)).toMatchObject([{ status: 'fulfilled', value: { unlinked: { contacts: 101 } } }]);
  },
);

test('a delete that finds a linked record locked leaves a transaction with other units before it has written', async () => {
  const { actor, db } = records;
  const account = await records.insert(accounts, { account_name: 'Robotics' });
  const contact = await records.insert(contacts, { first_name: 'Ada', last_name: 'Lovelace' });
  const deal = { opportunity_name: 'Deal', account_id: account.id, contact_ids: [contact.id] };
  await records.insert(opportunities, deal);
  const activity = await records.insert(customActivities, { content: 'Called', contact_ids: [contact.id] });
  const unit = deleteUnit(actor, contacts, { id: contact.id });
  const onFault = vi.fn<() => void>();
  await db.owner.transaction(async (other) => {
    const lock = statement<never>('', 'SELECT FROM custom_activities WHERE id = $1 FOR UPDATE');
    await other.query(lock, [activity.id]);
    const together = records.transaction((tx) =>
      runTogether(tx, [(unitDb) => unitRunnerOf(unitDb).run(unit)], { onFault }),
    );
    expect(await together).toMatchObject([{ status: 'rejected', reason: expect.any(LockedError) }]);
  });
  expect(onFault).not.toHaveBeenCalled();
});

test('a delete fails with a conflict if other records are linked to the record again each time', async () => {
  const { actor } = records;
  const { id } = await records.insert(contacts, { first_name: 'Ada', last_name: 'Lovelace' });
  const activity = newRow(actor, customActivities, { content: 'Called', source: 'api', contact_ids: [id] });
  await records.transaction(async (tx) => {
    const db = new StandaloneUnitDb((prepared, values) => tx.query(prepared, values));
    const call: UnitDb['call'] = async (each, given) => {
      if ((each as unknown) === movesToTrash(contacts)) await insertRecords(db, customActivities, [activity]);
      return db.call(each, given);
    };
    const busy: UnitDb = { waits: true, call, query: (...given) => db.query(...given), lock: (keys) => db.lock(keys) };
    await expect(deleteRecord(busy, actor, contacts, { id })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('Retry.'),
    });
  });
});
