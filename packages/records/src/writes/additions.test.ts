import { Executor, newId, runTogether, statement, type UnitDb } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { contacts } from '../contacts/contact.table.ts';
import { opportunities } from '../opportunities/opportunity.table.ts';
import { findRecord } from '../record.sql.ts';
import { invalid, openTestRecords, type TestRecords, upsertAs } from '../records.harness.ts';
import { patchRecord } from './patch-record.ts';
import { patchUnit, upsertUnit } from './record-units.ts';
import { readUpsert, type UpsertInput } from './upsert-record.ts';

let records: TestRecords;

beforeAll(async () => void (records = await openTestRecords()));
afterAll(() => records[Symbol.asyncDispose]());

const newContact = (email: string, crm_id?: string) =>
  records.insert(contacts, { first_name: 'Ada', last_name: 'L', email, crm_id });
const stored = (id: string) => findRecord(records.db.database, records.orgId, contacts, id);
const patch = (db: UnitDb, id: string, title: string | null) =>
  patchRecord(db, records.actor, contacts, { id, patch: { title } });
const attempt = { isRetry: false, isOver: () => false };
const setCreatedAt = statement<never>('test.created_at', 'UPDATE contacts SET created_at = $2 WHERE id = $1');
const unit = (input: UpsertInput) => upsertUnit(records.actor, contacts, readUpsert(contacts, input));

test('B2.9: `fill` waits for a change that is not committed yet, and keeps its value', async () => {
  const { id } = await newContact('waits@a.example');
  const executor = new Executor(records.db.database);
  let filling: Promise<{ action: string }> | undefined;
  await records.transaction(async (db) => {
    await patch(db, id, 'Patched');
    filling = executor.run(unit({ match: { email: 'waits@a.example' }, fill: { title: 'Filled' } }));
    await new Promise((resolve) => setTimeout(resolve, 200));
  });
  expect(await filling).toMatchObject({ action: 'unchanged', record: { title: 'Patched' } });
  expect(await stored(id)).toMatchObject({ title: 'Patched' });
});

test.each([0, 1, 2, 3, 4, 5])(
  'units of one transaction that change a record in different ways have the same result as one after another (%i)',
  async (waves) => {
    const [email, crm_id] = [`together-${waves}@a.example`, `together-${waves}`];
    const { id } = await newContact(email, crm_id);
    const units = [
      (db: UnitDb) => unit({ match: { email }, fill: { title: 'Filled' }, add: { tags: ['x'] } }).run(db, attempt),
      async (db: UnitDb) => {
        for (let i = 0; i < waves; i++) await findRecord(db, records.orgId, contacts, newId());
        return patch(db, id, 'Patched');
      },
      (db: UnitDb) => unit({ match: { crm_id }, add: { tags: ['y'] } }).run(db, attempt),
    ];
    const settled = await records.transaction((db) => runTogether<unknown>(db, units));
    // If a unit would have to wait while others wait for it, it leaves the transaction and runs again alone.
    const left = units.filter((_unit, i) => settled[i]!.status === 'rejected');
    for (const one of left) await records.transaction((db) => one(db));
    const { title, tags } = (await stored(id))!;
    expect([title, tags.toSorted()]).toEqual(['Patched', ['x', 'y']]);
  },
);

test('`oldest` and `newest` go by the time of creation, then by id, also among more records than an error names', async () => {
  const email = 'ages@a.example';
  const ids: string[] = [];
  for (let i = 0; i < 12; i++) ids.push((await newContact(email)).id);
  const chosen = async (on_several: 'oldest' | 'newest') => {
    const input = { match: { email }, set: { title: on_several }, on_several };
    return (await records.transaction((db) => unit(input).run(db, attempt))).record.id;
  };
  const createdAt = (id: string, at: string) => records.db.owner.query(setCreatedAt, [id, at]);
  for (const id of ids) await createdAt(id, '2026-01-02T00:00:00Z');
  expect([await chosen('oldest'), await chosen('newest')]).toEqual([ids[0], ids[11]]);
  await createdAt(ids[3]!, '2026-01-01T00:00:00Z');
  await createdAt(ids[8]!, '2026-01-03T00:00:00Z');
  expect([await chosen('oldest'), await chosen('newest')]).toEqual([ids[3], ids[8]]);
});

test('100 values can be added, and the error for 101 names the list', async () => {
  const { id } = await newContact('limit@a.example');
  const add = (tags: string[]) =>
    records.transaction((db) => upsertAs(db, records.actor, contacts, { id }, {}, { add: { tags } }));
  const tags = Array.from({ length: 100 }, (_, i) => `${i}`);
  expect(await add(tags)).toMatchObject({ action: 'updated', tags });
  expect(await add(tags.toReversed())).toMatchObject({ action: 'unchanged', tags });
  await expect(add(['101'])).rejects.toMatchObject(invalid('tags too_many'));
});

test('every problem of unchecked members is reported at once, those of `set` without a prefix', () => {
  const read = () =>
    readUpsert(contacts, {
      match: { email: 'a@a.example' },
      create: { nope: 1 },
      fill: { title: 5, city: 'a' },
      add: { tags: 'x' },
      set: { phone: 1, city: 'b' },
    });
  expect(read).toThrow(
    expect.objectContaining(
      invalid(
        'fill.city conflicting_fields',
        'phone invalid_type',
        'create.nope unknown_field',
        'fill.title invalid_type',
        'add.tags invalid_type',
      ),
    ),
  );
});

test('an empty `fill` leaves what `match` and `create` give a new record', async () => {
  const email = 'empty@a.example';
  const given = {
    match: { email },
    create: { first_name: 'Ada', last_name: 'L', title: 'Countess', tags: ['a'] },
    fill: { email: null, title: '', tags: [], company: '' },
  };
  const { record } = await records.transaction((db) => unit(given).run(db, attempt));
  expect(record).toMatchObject({ email, title: 'Countess', tags: ['a'], company: '' });
});

test('`create`, `fill`, `add` and `set` that are null count as absent', async () => {
  const nothing = { create: null, fill: null, add: null, set: null };
  const match = { email: 'absent@a.example' };
  const make = { match, ...nothing, create: { first_name: 'Ada', last_name: 'L' } };
  expect(await records.transaction((db) => unit(make).run(db, attempt))).toMatchObject({ action: 'created' });
  const again = await records.transaction((db) => unit({ match, ...nothing }).run(db, attempt));
  expect(again).toMatchObject({ action: 'unchanged' });
});

interface Given {
  patch?: object;
  fill: object;
}

/** Both ways of changing an opportunity that exists. */
const changes = [
  [
    'an update',
    (id: string, { patch: set, fill }: Given) =>
      patchUnit(records.actor, opportunities, { id, patch: { ...set }, fill: { ...fill } }),
  ],
  [
    'an upsert',
    (id: string, { patch: set, fill }: Given) =>
      upsertUnit(records.actor, opportunities, readUpsert(opportunities, { match: { id }, set, fill })),
  ],
] as const;

describe.each(changes)('%s', (name, changeTo) => {
  const run = (id: string, given: Given) =>
    records.transaction<{ action: string; record: unknown }>((db) => changeTo(id, given).run(db, attempt));
  const deal = async (fields: object) => {
    const { id: account_id } = await records.insert(accounts, { account_name: 'Acme' });
    return (await records.insert(opportunities, { opportunity_name: 'Deal', account_id, ...fields })).id;
  };

  test('fills all fields except a stage whose pipeline would replace that of the record', async () => {
    const pipeline = `Sales of ${name}`;
    const stage_id = await records.insertStage(pipeline);
    const other = await deal({ pipeline: 'Other' });
    const filled = await run(other, { fill: { stage_id, amount: 5 } });
    expect(filled.record).toMatchObject({ pipeline: 'Other', amount: 5 });
    expect(filled.record).not.toHaveProperty('stage_id');
    expect(await run(other, { fill: { stage_id, amount: 6 } })).toMatchObject({ action: 'unchanged' });
    expect(
      (await run(other, { patch: { stage_id }, fill: { close_date: '2026-12-31T17:00:00Z' } })).record,
    ).toMatchObject({
      stage_id,
      pipeline,
    });
    for (const fields of [{}, { pipeline }])
      expect((await run(await deal(fields), { fill: { stage_id } })).record).toMatchObject({ stage_id, pipeline });
  });

  test('refuses a stage and a pipeline of `fill` that contradict each other, even if only one of them applies', async () => {
    const pipeline = `Own of ${name}`;
    const stage_id = await records.insertStage(pipeline);
    for (const fields of [{}, { pipeline }, { pipeline: 'Other' }])
      await expect(run(await deal(fields), { fill: { stage_id, pipeline: 'Other' } })).rejects.toMatchObject(
        invalid('pipeline invalid_reference'),
      );
  });
});
