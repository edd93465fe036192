import { LockedError, runTogether, statement, within } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { openTestRecords, type TestRecords } from '../records.harness.ts';
import { deleteUnit } from '../writes/record-units.ts';
import { LinkedRoom } from './linked-limit.ts';

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
      ...(how !== 'by itself' && { room: new LinkedRoom() }),
    });
    const together = (waits: boolean) =>
      records.transaction((tx) => runTogether(tx, [(unitDb) => within(unitDb).run(unit)], { waits }));
    expect(await together(false)).toMatchObject([{ status: 'rejected', reason: expect.any(LockedError) }]);
    expect(await together(true)).toMatchObject([{ status: 'fulfilled', value: { unlinked: { contacts: 101 } } }]);
  },
);
