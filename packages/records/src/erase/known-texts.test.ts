import { Executor, statement } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contacts } from '../contacts/contact.table.ts';
import { openTestRecords, type TestRecords, upsertAs } from '../records.harness.ts';
import { mergeUnit } from '../writes/record-units.ts';
import { findKnownTexts } from './known-texts.sql.ts';

let records: TestRecords;
beforeAll(async () => void (records = await openTestRecords()));
afterAll(() => records[Symbol.asyncDispose]());

const sql = (text: string, values: readonly unknown[]) => records.db.owner.query(statement('', text), values);

test('an erase knows the former addresses and names of a person, and those of merged and purged records', async () => {
  const { orgId, actor, db } = records;
  const make = (first_name: string, email: string) =>
    records.insert(contacts, { first_name, middle_name: 'King', last_name: 'Lovelace', email });
  const [winner, loser, first] = [
    await make('Ada', 'ada@robotics.example'),
    await make('Augusta', 'augusta@robotics.example'),
    await make('A.', 'first@robotics.example'),
  ];
  const change = (set: object) => records.transaction((tx) => upsertAs(tx, actor, contacts, { id: winner.id }, set));
  await change({ last_name: 'Byron', email: 'byron@robotics.example' });
  const executor = new Executor(db.database);
  for (const [winnerId, loserId] of [
    [loser.id, first.id],
    [winner.id, loser.id],
  ])
    await executor.runAlone(
      mergeUnit(actor, contacts, { winnerId: winnerId!, loserIds: [loserId!], set: {}, versions: new Map() }),
    );
  await sql('UPDATE trash SET record = NULL WHERE org_id = $1', [orgId]);
  // The event of the winner's creation has expired, so that only the change contains the previous values.
  await sql(`DELETE FROM events WHERE org_id = $1 AND record_id = $2 AND type = 'contact.created'`, [orgId, winner.id]);
  const names = ['Ada Byron', 'Ada Lovelace', 'Augusta Lovelace', 'A. Lovelace'];
  const found = await findKnownTexts(db.database, orgId, contacts, winner.id);
  expect(found.toSorted()).toEqual(
    [
      ...[winner, loser, first].map(({ id }) => id),
      ...['ada', 'byron', 'augusta', 'first'].map((each) => `${each}@robotics.example`),
      ...names.flatMap((name) => [name, name.replace(' ', ' King ')]),
    ].toSorted(),
  );
  await sql('DELETE FROM contacts WHERE org_id = $1', [orgId]);
  expect((await findKnownTexts(db.database, orgId, contacts, winner.id)).toSorted()).toEqual(found.toSorted());
});
