import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createOrganization } from '@relata/auth';
import { findSuiteBundle } from '@relata/bundle';
import { Executor, statement } from '@relata/db';
import { fenceEvents, organizationActor, operatorActor } from '@relata/events';
import { accounts, contacts, createUnit, patchUnit } from '@relata/records';
import { until } from '@relata/testing';
import { beforeAll, expect, test } from 'vitest';
import { setUpCli } from '../../cli.harness.ts';

const cli = setUpCli();
let org: string;
let account: string;

beforeAll(async () => {
  org = (await createOrganization(cli.database(), 'Acme')).id;
  const executor = new Executor(cli.database());
  const key = organizationActor({ kind: 'api_key', keyId: 'k', keyName: 'ERP sync', requestId: 'r' }, org);
  account = (await executor.run(createUnit(key, accounts, { account_name: 'Acme' }))).id;
  await executor.run(patchUnit(key, accounts, { id: account, patch: { city: 'Bern' } }));
  await executor.run(createUnit(operatorActor(org, 'test'), contacts, { first_name: 'Ada', last_name: 'L' }));
});

const typesOf = (found: { type: string }[]) => found.map(({ type }) => type);

test('events are listed the newest first, a page at a time, and by type or record', async () => {
  const found = await cli.json('events', 'list', '--org', 'Acme');
  expect(typesOf(found)).toEqual(['contact.created', 'account.updated', 'account.created']);
  const behind = await cli.json('events', 'list', '--org', org, '--limit', '1', '--before', found[0].id);
  expect(typesOf(behind)).toEqual(['account.updated']);
  const ofContacts = await cli.json('events', 'list', '--org', org, '--type', 'contact.*', '--type', 'user.created');
  expect(typesOf(ofContacts)).toEqual(['contact.created']);
  expect(typesOf(await cli.json('events', 'list', '--org', org, '--record', account))).toHaveLength(2);
});

test('a list examines all older events; if a limit ends it earlier, it says how to continue', async () => {
  const { id: orgId } = await createOrganization(cli.database(), 'Globex');
  const writeMany = statement<never>(
    'test.write_many',
    `INSERT INTO events (org_id, id, seq, type, record_id, actor)
     SELECT $1, gen_random_uuid(), next_event($1), CASE WHEN n < 3 THEN 'contact.created' ELSE 'account.updated' END,
       gen_random_uuid(), '{"type":"system"}' FROM generate_series(1, 20010) n`,
  );
  await cli.database().query(writeMany, [orgId]);
  const options = ['events', 'list', '--org', orgId, '--type', 'contact.created'];
  const found = await cli.json(...options);
  expect(typesOf(found)).toEqual(['contact.created', 'contact.created']);
  const { stdout } = await cli.run([...options, '--limit', '1']);
  expect(stdout).toMatch(new RegExp(`\nThere may be more\\. Continue: --before ${found[0].id}\n$`));
  expect(await cli.json(...options, '--before', found[0].id)).toEqual([found[1]]);
  expect((await cli.run(options)).stdout).not.toContain('There may be more');
});

test('text output shows who changed what', async () => {
  const { stdout } = await cli.run(['events', 'list', '--org', org]);
  expect(stdout).toMatch(/account\.updated +\S+ +key ERP sync +city/);
  expect(stdout).toMatch(/contact\.created +\S+ +operator/);
});

test('tail shows the events after a given event, and ends at --limit or --seconds', async () => {
  const [, , first] = await cli.json('events', 'list', '--org', org);
  const found = await cli.json('events', 'tail', '--org', org, '--after', first.id, '--limit', '2');
  expect(typesOf(found)).toEqual(['account.updated', 'contact.created']);
  const { stdout } = await cli.run(['events', 'tail', '--org', org, '--after', first.id, '--seconds', '1']);
  expect(stdout).toContain('account.updated');
});

test('tail ends when it is interrupted, or when the program that reads its output has ended', async () => {
  const [, , first] = await cli.json('events', 'list', '--org', org);
  const main = await findSuiteBundle('cli');
  const start = () => {
    const env = { ...process.env, DATABASE_URL: cli.url() };
    return spawn(process.execPath, [main, 'events', 'tail', '--org', org, '--after', first.id], { env });
  };
  const interrupted = start();
  await once(interrupted.stdout, 'data');
  interrupted.kill('SIGINT');
  expect(await once(interrupted, 'close')).toEqual([0, null]);
  const left = start();
  const closed = once(left, 'close');
  await once(left.stdout, 'data');
  left.stdout.destroy();
  const key = organizationActor({ kind: 'api_key', keyId: 'k', keyName: 'ERP sync', requestId: 'r' }, org);
  const executor = new Executor(cli.database());
  const write = () => executor.run(patchUnit(key, accounts, { id: account, patch: { city: crypto.randomUUID() } }));
  // The tool notices that its output is closed only when it writes the next event.
  const code = await until(async () => {
    await write();
    const ended = await Promise.race([closed, pause(100)]);
    expect(ended).toBeDefined();
    return ended;
  });
  expect(code).toEqual([0, null]);
});

test('an unknown type is wrong usage', async () => {
  expect(await cli.run(['events', 'list', '--org', org, '--type', 'account.nonsense'])).toMatchObject({ code: 2 });
});

test('a fence advances the event sequence past all numbers in use, and the feed continues after it', async () => {
  const [last] = await cli.json('events', 'list', '--org', org, '--limit', '1');
  const owner = { DATABASE_MIGRATION_URL: cli.ownerUrl() };
  const fenced = async () => JSON.parse((await cli.run(['events', 'fence', '--json'], owner)).stdout);
  const [first, second] = [await fenced(), await fenced()];
  expect(first.after).toBe(first.before + 1_000_000_000);
  expect(second.before).toBe(first.after + 1);
  const { id } = await new Executor(cli.database()).run(
    createUnit(operatorActor(org, 'test'), accounts, { account_name: 'B' }),
  );
  const found = await cli.json('events', 'tail', '--org', org, '--after', last.id, '--limit', '1');
  expect(found).toMatchObject([{ record_id: id }]);
});

test('concurrent fences, while events are written, never draw a number twice', async () => {
  const context = { database: cli.owner() };
  const operator = { kind: 'operator', requestId: 'test' } as const;
  const draw = () => cli.database().query(statement<{ seq: number }>('', `SELECT next_event('${org}') AS seq`), []);
  const drawn = await Promise.all(
    Array.from({ length: 40 }, async (_, i) => (i % 4 === 0 ? void (await fenceEvents(context, operator)) : draw())),
  );
  const numbers = drawn.flatMap((rows) => rows ?? []).map(({ seq }) => seq);
  expect(new Set(numbers).size).toBe(30);
});

test('the role of the apps may not fence, and the error names the missing setting', async () => {
  const fault = await cli.fault('events', 'fence');
  expect(fault).toMatchObject({
    error: 'configuration_error',
    message: expect.stringMatching('DATABASE_MIGRATION_URL'),
  });
});
