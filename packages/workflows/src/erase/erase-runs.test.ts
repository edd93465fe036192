import { createOrganization, hashCredential } from '@relata/auth';
import { type Database, newId, statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeDefinition } from '../definitions/workflow.sql.ts';
import { storeDeliveries } from '../deliveries/delivery-store.sql.ts';
import { storeRefusals } from '../deliveries/refusal.sql.ts';
import { endRun } from '../runs/run-control.sql.ts';
import { createTrigger } from '../triggers/trigger.operations.ts';
import { eraseRefusedPosts, eraseRunsPage } from './erase-runs.operations.ts';

let opened: TestDatabase;
let database: Database;

beforeAll(async () => {
  opened = await createTestDatabase();
  database = opened.database;
});
afterAll(() => opened[Symbol.asyncDispose]());

const sql = <Row>(text: string, values: readonly unknown[] = []) =>
  opened.owner.query(statement<Row>('', text), values);

async function createOrg() {
  const { id: orgId } = await createOrganization(database, 'Acme');
  const { trigger } = await createTrigger({ database }, operatorActor(orgId, 'test'), { name: 'Form' });
  const { applied } = await database.transaction((tx) => storeDefinition(tx, orgId, { name: 'one' }));
  const deliver = async (body: string, { headers = {}, inputs, output, isActive }: Delivered = {}) => {
    const [id, runId] = [newId(), newId()];
    const hasRun = inputs !== undefined || output !== undefined || isActive;
    const runs = hasRun
      ? [{ id: runId, workflowId: applied.id, version: 1, isLimited: false, inputs: JSON.stringify(inputs ?? {}) }]
      : [];
    const delivery = { orgId, id, triggerId: trigger.id, keyHash: hashCredential(id), body: Buffer.from(body) };
    await storeDeliveries(database, [{ ...delivery, headers, skipped: [], runs }]);
    if (output !== undefined)
      await sql(
        `INSERT INTO workflow_run_steps (org_id, run_id, path, position, use, status, output)
         VALUES ($1, $2, 'contact', 1, 'contact.get', 'succeeded', $3)`,
        [orgId, runId, JSON.stringify(output)],
      );
    if (hasRun && !isActive) await database.transaction((db) => endRun(db, orgId, runId));
    return id;
  };
  return { orgId, triggerId: trigger.id, deliver };
}

interface Delivered {
  headers?: Record<string, string>;
  inputs?: Record<string, unknown>;
  output?: Record<string, unknown>;
  isActive?: boolean;
}

interface Refused {
  body?: string;
  message?: string;
}

function makeRefusal(orgId: string, triggerId: string, { body = '', message = '' }: Refused) {
  const post = { orgId, id: newId(), triggerId, refusedAt: new Date(), isAuthorized: true, bytes: 1, address: '::1' };
  const why = { status: 400, reason: 'invalid', field: undefined, message } as const;
  return { ...post, ...why, body: Buffer.from(body) };
}

const on = () => ({ database, takeTurn: () => Promise.resolve() });
const kept = async (orgId: string) =>
  (await sql<{ id: string }>('SELECT id FROM webhook_deliveries WHERE org_id = $1 ORDER BY id', [orgId])).map(
    ({ id }) => id,
  );

test('deliveries and their runs are deleted if the body, a header, an input or a journal contains one of the texts', async () => {
  const { orgId, deliver } = await createOrg();
  const others = [await deliver('{"email":"grace@robotics.example"}', { inputs: { email: 'grace@robotics.example' } })];
  await deliver('{"email":"ADA@robotics.example"}');
  await deliver(String.raw`{"email":"ada\u0040robotics.example"}`, { inputs: { any: 1 } });
  await deliver('email=ada%40robotics.example', { headers: { 'content-type': 'application/x-www-form-urlencoded' } });
  await deliver('{}', { headers: { from: 'Ada@robotics.example' } });
  await deliver('{}', { inputs: { who: 'Ada "the first" Lovelace' } });
  await deliver('{}', { output: { email: 'ada@robotics.example' } });
  others.push(await deliver('not JSON \u0000 { ada'));
  const foreign = await createOrg();
  const theirs = await foreign.deliver('{"email":"ada@robotics.example"}');
  const texts = ['ada@robotics.example', 'Ada "The First" Lovelace'];
  const trial = await eraseRunsPage(on(), orgId, { texts, isDryRun: true });
  expect(await kept(orgId)).toHaveLength(8);
  expect(await eraseRunsPage(on(), orgId, { texts })).toEqual({ deliveries: 6, runs: 3, active: 0, next: undefined });
  expect(trial).toEqual({ deliveries: 6, runs: 3, active: 0, next: undefined });
  expect(await kept(orgId)).toEqual(others.toSorted());
  expect(await kept(foreign.orgId)).toEqual([theirs]);
  const orphans = `SELECT FROM webhook_delivery_keys k WHERE k.org_id = $1
    AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.id = k.delivery_id)`;
  expect(await sql(orphans, [orgId])).toEqual([]);
  expect(await eraseRunsPage(on(), orgId, { texts })).toMatchObject({ deliveries: 0 });
});

test.for([
  ['İbrahim Yılmaz', 'İbrahim Yılmaz'],
  ['ΓΙΩΡΓΟΣ ΠΑΠΑΣ', 'ΓΙΩΡΓΟΣ ΠΑΠΑΣ'],
  ['ΓΙΩΡΓΟΣ ΠΑΠΑΣ', 'Γιωργος Παπας'],
  ['Straße "Ö"', 'STRAßE "ö"'],
])('the name %s is found wherever %s is stored, whatever text follows it', async ([name, stored]) => {
  const { orgId, triggerId, deliver } = await createOrg();
  const values = [stored!, `${stored}:x`];
  for (const value of values) {
    const body = JSON.stringify(value);
    await deliver(body);
    await deliver('{}', { headers: { from: value } });
    await deliver('{}', { inputs: { name: value } });
    await deliver('{}', { output: { name: value } });
    await storeRefusals(
      database,
      [makeRefusal(orgId, triggerId, { body }), makeRefusal(orgId, triggerId, { message: value })],
      [],
    );
  }
  const texts = [name!];
  expect(await eraseRunsPage(on(), orgId, { texts, isDryRun: true })).toMatchObject({ deliveries: 8, runs: 4 });
  expect(await eraseRefusedPosts(on(), orgId, { texts, isDryRun: true })).toBe(4);
});

test('a delivery stays while one of its runs has not ended', async () => {
  const { orgId, deliver } = await createOrg();
  const id = await deliver('{}', { inputs: { email: 'ada@robotics.example' }, isActive: true });
  const texts = ['ada@robotics.example'];
  for (const isDryRun of [true, false])
    expect(await eraseRunsPage(on(), orgId, { texts, isDryRun })).toMatchObject({ deliveries: 0, runs: 0, active: 1 });
  expect(await kept(orgId)).toEqual([id]);
  await sql(`UPDATE workflow_runs SET status = 'succeeded' WHERE org_id = $1`, [orgId]);
  expect(await eraseRunsPage(on(), orgId, { texts })).toMatchObject({ deliveries: 1, runs: 1, active: 0 });
});

test('all texts of a person with many merged records are searched for, in many deliveries and runs', async () => {
  const { orgId, triggerId, deliver } = await createOrg();
  await deliver('{}', { output: { email: 'ada@robotics.example' } });
  await sql(
    `WITH made AS (
       INSERT INTO webhook_deliveries (org_id, id, trigger_id, body, headers)
       SELECT $1, uuidv7(), $2, convert_to('ada@robotics.example', 'UTF8'), '{}' FROM generate_series(1, 250) RETURNING id
     ) SELECT count(*) FROM made`,
    [orgId, triggerId],
  );
  await sql(
    `INSERT INTO workflow_runs (org_id, id, workflow_id, version, delivery_id, trigger_id, replay, inputs, status)
     SELECT r.org_id, uuidv7(), r.workflow_id, r.version, r.delivery_id, r.trigger_id, n, '{}', 'failed'
     FROM workflow_runs r, generate_series(1, 120) n WHERE r.org_id = $1`,
    [orgId],
  );
  const texts = [...Array.from({ length: 120 }, (_, at) => `nobody-${at}@robotics.example`), 'ada@robotics.example'];
  const expected = { deliveries: 251, runs: 121, active: 0 };
  expect(await eraseRunsPage(on(), orgId, { texts, isDryRun: true })).toMatchObject(expected);
  expect(await eraseRunsPage(on(), orgId, { texts })).toMatchObject(expected);
  expect(await kept(orgId)).toEqual([]);
});

test('each page continues where the previous page ended, and runs of every page are found', async () => {
  const { orgId, triggerId, deliver } = await createOrg();
  await deliver('{}', { output: { email: 'ada@robotics.example' } });
  await sql(
    `INSERT INTO webhook_deliveries (org_id, id, trigger_id, body, headers)
     SELECT $1, ('01ffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $2,
       CASE WHEN n % 500 = 0 THEN convert_to('"ada@robotics.example"', 'UTF8') ELSE '' END, '{}' FROM generate_series(1, 1500) n`,
    [orgId, triggerId],
  );
  const texts = ['ada@robotics.example'];
  let all = 0;
  let pages = 0;
  for (let before: string | undefined; pages === 0 || before !== undefined; pages++) {
    const page = await eraseRunsPage(on(), orgId, { texts, ...(before && { before }) });
    all += page.deliveries;
    before = page.next;
  }
  expect(all).toBe(4);
  expect(pages).toBeGreaterThan(1);
});

test('refused posts that have one of the texts are deleted', async () => {
  const { orgId, triggerId } = await createOrg();
  const make = (content: Refused) => makeRefusal(orgId, triggerId, content);
  const other = make({ body: '{}' });
  const posts = [
    make({ body: '{"email":"ada@robotics.example"}' }),
    make({ message: 'Ada@robotics.example is no number' }),
  ];
  await storeRefusals(database, [...posts, other], []);
  const texts = ['ada@robotics.example'];
  expect(await eraseRefusedPosts(on(), orgId, { texts, isDryRun: true })).toBe(2);
  expect(await eraseRefusedPosts(on(), orgId, { texts })).toBe(2);
  const left = await sql<{ id: string }>('SELECT id FROM webhook_refusals WHERE org_id = $1', [orgId]);
  expect(left).toEqual([{ id: other.id }]);
});
