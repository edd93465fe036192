import { createOrganization } from '@relata/auth';
import { type Db, newId } from '@relata/db';
import type { Log } from '@relata/runtime';
import { createTestDatabase, type TestDatabase, until } from '@relata/testing';
import { countRefusals, listRefusals } from '@relata/workflows/deliveries';
import type { NewRefusal } from '@relata/workflows/intake';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createUniqueTrigger } from '../webhook-ingest.harness.ts';
import { GatheredRefusals } from './gathered-refusals.ts';
import { RefusalLog } from './refusal-log.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db[Symbol.asyncDispose]());

async function openTrigger() {
  const { id: orgId } = await createOrganization(db.database, 'Acme');
  const { trigger } = await createUniqueTrigger(db.database, orgId);
  return { orgId, triggerId: trigger.id };
}

const refusalOf = (trigger: { orgId: string; triggerId: string }, more: Partial<NewRefusal> = {}): NewRefusal => ({
  ...trigger,
  id: newId(),
  refusedAt: new Date(),
  isAuthorized: true,
  status: 400,
  reason: 'invalid_json',
  message: 'request body must be valid JSON',
  field: undefined,
  bytes: 3,
  address: '192.0.2.1',
  body: Buffer.from('{"a'),
  ...more,
});

/** Wraps a database and counts its statements. `fault` is called before each statement and may throw. */
function counted(fault: (n: number) => void = () => undefined) {
  const count = { statements: 0 };
  const query: Db['query'] = (prepared, values) => {
    fault(++count.statements);
    return db.database.query(prepared, values);
  };
  return { count, database: { ...db.database, query } as Db };
}

function silentLog() {
  const log = { info: vi.fn<Log['info']>(), warn: vi.fn<Log['warn']>() };
  return { ...log, log: log as unknown as Log };
}

test('S.6: 100,000 refusals need at most one statement per second, and a few lines in the log', async () => {
  const trigger = await openTrigger();
  const { count, database } = counted();
  const { log, info } = silentLog();
  const began = performance.now();
  {
    await using refusals = new RefusalLog({ db: database, log });
    for (let i = 1; i <= 100_000; i++) {
      refusals.add(refusalOf(trigger));
      // Gives the timers of the process a chance to run.
      if (i % 1_000 === 0) await new Promise(setImmediate);
    }
    await until(() => expect(count.statements).toBeGreaterThan(0));
  }
  const seconds = (performance.now() - began) / 1_000;
  // There may be one more statement when the log stops.
  expect(count.statements).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  expect(info.mock.calls.length).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  expect(await countRefusals(db.database, trigger.orgId, trigger.triggerId)).toMatchObject([
    { reason: 'invalid_json', refused: 100_000 },
  ]);
  expect(await listRefusals(db.database, trigger.orgId, { limit: 1_000 })).toHaveLength(100);
});

test('refusals are written once the database is available again', async () => {
  const trigger = await openTrigger();
  const { count, database } = counted((n) => {
    if (n === 1) throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  });
  const { log, info, warn } = silentLog();
  await using refusals = new RefusalLog({ db: database, log });
  refusals.add(refusalOf(trigger, { reason: 'service_unavailable', status: 503 }));
  await until(() => expect(count.statements).toBe(1));
  refusals.add(refusalOf(trigger));
  await until(async () => {
    expect(await listRefusals(db.database, trigger.orgId, { limit: 10 })).toMatchObject([
      { reason: 'invalid_json' },
      { reason: 'service_unavailable' },
    ]);
  });
  expect(warn).toHaveBeenCalledTimes(1);
  expect(info.mock.calls.map(([line]) => line)).toEqual([
    expect.objectContaining({ reason: 'service_unavailable', refused: 1 }),
    expect.objectContaining({ reason: 'invalid_json', refused: 1 }),
  ]);
});

test('deleting a trigger does not lose the refusals of other triggers', async () => {
  const trigger = await openTrigger();
  const deleted = { ...trigger, triggerId: newId() };
  {
    await using refusals = new RefusalLog({ db: db.database, log: silentLog().log });
    for (const each of [deleted, trigger]) refusals.add(refusalOf(each));
  }
  expect(await countRefusals(db.database, trigger.orgId, trigger.triggerId)).toMatchObject([{ refused: 1 }]);
  expect(await listRefusals(db.database, trigger.orgId, { limit: 10 })).toHaveLength(1);
});

test('the log has at most 20 lines per second, beginning with one for each organization', async () => {
  const { log, info } = silentLog();
  const [loud, quiet] = [await openTrigger(), await openTrigger()];
  {
    await using refusals = new RefusalLog({ db: counted().database, log });
    for (let i = 0; i < 50; i++) refusals.add(refusalOf(loud, { reason: `reason-${i}` }));
    refusals.add(refusalOf(quiet));
  }
  expect(info).toHaveBeenCalledTimes(21);
  expect(info.mock.calls[1]).toMatchObject([{ org_id: quiet.orgId, refused: 1 }, 'deliveries refused']);
  expect(info).toHaveBeenLastCalledWith({ more: 31 }, 'deliveries refused for more reasons');
});

test('endless refusals of an organization take no more than its share of the memory', () => {
  const gathered = new GatheredRefusals(1_000_000);
  const body = Buffer.alloc(8_192);
  for (let trigger = 0; trigger < 50; trigger++)
    for (let i = 0; i < 200; i++) gathered.add(refusalOf({ orgId: 'loud', triggerId: `t${trigger}` }, { body }));
  const newest = refusalOf({ orgId: 'quiet', triggerId: 'q' }, { body });
  for (let i = 0; i < 10; i++) gathered.add(newest);
  const { refusals, counts } = gathered.take();
  const bytesOf = (orgId: string) =>
    refusals.filter((one) => one.orgId === orgId).reduce((sum, one) => sum + one.body!.length, 0);
  expect(bytesOf('loud')).toBeGreaterThan(300_000);
  expect(bytesOf('loud')).toBeLessThanOrEqual(500_000);
  expect(bytesOf('quiet')).toBe(10 * 8_192);
  expect(counts.filter(({ orgId }) => orgId === 'loud').every(({ refused }) => refused === 200)).toBe(true);
});

test('unauthorized posts to any number of triggers leave room for the authorized posts of their organization', () => {
  const gathered = new GatheredRefusals(1_000_000);
  for (let trigger = 0; trigger < 200; trigger++)
    for (let i = 0; i < 10; i++)
      gathered.add(refusalOf({ orgId: 'a', triggerId: `t${trigger}` }, { isAuthorized: false }));
  const whole = refusalOf({ orgId: 'a', triggerId: 't1' }, { isAuthorized: true, body: Buffer.alloc(100_000) });
  gathered.add(whole);
  const { refusals } = gathered.take();
  expect(refusals.filter(({ isAuthorized }) => isAuthorized)).toEqual([whole]);
  expect(refusals.length).toBeGreaterThan(50);
});

test('refusals with a status other than 400 never displace posts that can be replayed, neither in memory nor in the database', async () => {
  const trigger = await openTrigger();
  const { log } = silentLog();
  const whole = refusalOf(trigger);
  for (const status of [429, 503]) {
    await using refusals = new RefusalLog({ db: db.database, log });
    if (status === 429) refusals.add(whole);
    for (let i = 0; i < 150; i++) refusals.add(refusalOf(trigger, { status, reason: `${status}`, body: undefined }));
  }
  const kept = await listRefusals(db.database, trigger.orgId, { limit: 1_000, triggerId: trigger.triggerId });
  expect(kept.filter(({ status }) => status === 400)).toMatchObject([{ id: whole.id, can_replay: true }]);
  expect(kept.filter(({ status }) => status !== 400)).toHaveLength(100);
});

test('authorized posts that cannot be replayed leave room for those that can', () => {
  const gathered = new GatheredRefusals(1_000_000);
  for (let trigger = 0; trigger < 200; trigger++)
    for (let i = 0; i < 10; i++)
      gathered.add(refusalOf({ orgId: 'a', triggerId: `t${trigger}` }, { status: 503, reason: 'service_unavailable' }));
  const whole = refusalOf({ orgId: 'a', triggerId: 't1' }, { body: Buffer.alloc(100_000) });
  gathered.add(whole);
  const { refusals } = gathered.take();
  expect(refusals.filter(({ status }) => status === 400)).toEqual([whole]);
  expect(refusals.length).toBeGreaterThan(50);
});

test('newer refusals displace refusals that were put back, and their room is counted once', () => {
  const gathered = new GatheredRefusals();
  const trigger = { orgId: 'a', triggerId: 't' };
  const [before, after] = [0, 1].map(() => Array.from({ length: 80 }, () => refusalOf(trigger)));
  for (const one of before!) gathered.add(one);
  const taken = gathered.take();
  for (const one of after!) gathered.add(one);
  gathered.putBack(taken);
  const all = gathered.take();
  expect(all.refusals).toEqual([...before!.slice(-20), ...after!]);
  expect(all.counts).toMatchObject([{ refused: 160 }]);
  gathered.giveBack(all);
  for (let i = 0; i < 10_000; i++) {
    for (let n = 0; n < 10; n++) gathered.add(refusalOf(trigger));
    gathered.giveBack(gathered.take());
  }
  for (const one of before!) gathered.add(one);
  expect(gathered.take().refusals).toHaveLength(80);
});
