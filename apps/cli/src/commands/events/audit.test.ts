import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { requestTestMessage } from '@relata/notify';
import { auditTypes } from '@relata/schemas';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setUpCli } from '../../cli.harness.ts';

const cli = setUpCli();
const SECRETS_KEY = randomBytes(32).toString('base64');
const NOTIFY_KEYS = randomBytes(32).toString('base64');
const value = 'tok-5ecret-of-the-erp';
const definition = {
  name: 'inbound-lead',
  inputs: { email: { type: 'string', required: true } },
  steps: [{ id: 'log', use: 'activity.create', with: { content: 'tok-5ecret-of-a-step' } }],
};
/** All credentials that were created. */
const credentials: string[] = [];
let org: string;
let key: { id: string };
let trigger: { id: string };
let workflow: { id: string };
let folder: string;

const kept = <Made extends { key?: string; secret?: string }>(made: Made): Made => {
  credentials.push((made.key ?? made.secret)!);
  return made;
};

/** Executes every action of an operator on keys, triggers, workflows and secrets. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relata-audit-'));
  const inFile = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  org = (await cli.json('orgs', 'create', 'Acme')).id;
  const inOrg = ['--org', org];
  for (let i = 0; i < 2; i++) await cli.json('orgs', 'rename', 'Acme Robotics', ...inOrg);
  key = kept(await cli.json('keys', 'create', ...inOrg, '--scope', 'webhook', '--name', 'ERP'));
  kept(await cli.json('keys', 'rotate', key.id, '--overlap', '1h'));
  await cli.json('keys', 'update', key.id, '--name', 'ERP, ended soon');
  await cli.json('keys', 'revoke', key.id);
  const selected = kept(await cli.json('keys', 'create', ...inOrg, '--scope', 'webhook'));
  workflow = await cli.json('workflows', 'apply', await inFile('w.json', JSON.stringify(definition)), ...inOrg);
  trigger = kept(await cli.json('triggers', 'create', ...inOrg, '--name', 'Form'));
  kept(await cli.json('triggers', 'rotate', trigger.id));
  const assigned = ['triggers', 'assign', trigger.id, workflow.id, '--input'];
  await cli.json(...assigned, 'email=payload.email', '--filter', 'payload.token == "tok-5ecret-of-a-filter"');
  await cli.json(...assigned, 'email:="tok-5ecret-of-a-constant"');
  await cli.json('triggers', 'unassign', trigger.id, workflow.id);
  await cli.json('triggers', 'disable', trigger.id);
  await cli.json('triggers', 'select-key', trigger.id, selected.id);
  const secret = ['secrets', 'set', 'ERP_TOKEN', ...inOrg, '--value-file', await inFile('secret', value)];
  for (let i = 0; i < 2; i++) await cli.run(secret, { SECRETS_KEY });
  await cli.json('secrets', 'remove', 'ERP_TOKEN', ...inOrg);
  const channel = await inFile('channel', 'https://hooks.slack.com/services/T0/B0/tok-5ecret-of-the-chat');
  for (let i = 0; i < 2; i++) await cli.run(['notify', 'set', ...inOrg, '--channel-file', channel], { NOTIFY_KEYS });
  await requestTestMessage({ database: cli.database() }, operatorActor(org, 'test'));
  await cli.json('notify', 'remove', ...inOrg);
  await cli.json('users', 'create', ...inOrg, '--email', 'ada@example.com', '--first-name', 'Ada', '--last-name', 'L');
});
afterAll(() => rm(folder, { recursive: true }));

test('B3.1: every action of an operator is an event by the operator, in order', async () => {
  const events = await cli.json('events', 'list', '--org', org);
  expect(events.map(({ type }: { type: string }) => type).toReversed()).toEqual([
    'organization.updated',
    'api_key.created',
    'api_key.created',
    'api_key.rotated',
    'api_key.updated',
    'api_key.revoked',
    'api_key.created',
    'workflow.applied',
    'trigger.created',
    'trigger.secret_rotated',
    'trigger.assigned',
    'trigger.assigned',
    'trigger.unassigned',
    'trigger.updated',
    'trigger.updated',
    'secret.created',
    'secret.updated',
    'secret.removed',
    'notify_channel.created',
    'notify_channel.updated',
    'notify_channel.tested',
    'notify_channel.removed',
    'user.created',
  ]);
  for (const { actor, request_id: request } of events)
    expect({ actor, request }).toEqual({ actor: { type: 'operator' }, request: expect.any(String) });
});

test('events are found by each type, by all of a kind, and by the id of their object', async () => {
  // Members belong to `relata people`, and this test has nothing to retry, cancel, replay, resolve or ignore.
  const typed = auditTypes.filter((type) => !/^(member|run|delivery|problem)\./.test(type));
  const { stdout } = await cli.run(['events', 'list', '--org', org, ...typed.flatMap((type) => ['--type', type])]);
  for (const type of typed) expect(stdout).toContain(`${type} `);
  expect(stdout).not.toContain('user.created');
  const ofKeys = await cli.json('events', 'list', '--org', org, '--type', 'api_key.*');
  expect(ofKeys.map(({ record_type: type }: { record_type: string }) => type)).toEqual(Array(6).fill('api_key'));
  const ofKey = await cli.json('events', 'list', '--org', org, '--record', key.id);
  expect(ofKey).toMatchObject([
    { type: 'api_key.revoked', changed: ['revoked_at'], record: { id: key.id, name: 'ERP, ended soon' } },
    { type: 'api_key.updated', changed: ['name'], previous: { name: 'ERP' } },
    { type: 'api_key.rotated' },
    { type: 'api_key.created' },
  ]);
});

test('tail shows audit events, too', async () => {
  const [first] = (await cli.json('events', 'list', '--org', org)).toReversed();
  const { stdout } = await cli.run(['events', 'tail', '--org', org, '--after', first.id, '--limit', '17']);
  expect(stdout).toMatch(new RegExp(`trigger\\.updated +${trigger.id} +by operator +active`));
  expect(stdout).toMatch(new RegExp(`workflow\\.applied +${workflow.id} +by operator`));
});

const stored = statement<{ text: string }>('test.event_rows', 'SELECT row_to_json(e)::text AS text FROM events e');
const hashes = statement<{ hex: string }>(
  'test.hashes',
  `SELECT encode(key_hash, 'hex') AS hex FROM api_keys UNION ALL
   SELECT encode(secret_hash, 'hex') FROM webhook_trigger_secrets`,
);

test('no row of these events contains a credential, its hash or any other secret', async () => {
  const rows = (await cli.database().query(stored, [])).map(({ text }) => text).join('\n');
  const inDatabase = (await cli.database().query(hashes, [])).map(({ hex }) => hex);
  const made = credentials.map((credential) => createHash('sha256').update(credential).digest('hex'));
  expect(credentials).toHaveLength(5);
  expect(made).toEqual(expect.arrayContaining(inDatabase));
  const hashed = made.flatMap((hex) => [hex, Buffer.from(hex, 'hex').toString('base64')]);
  const tails = credentials.map((credential) => credential.slice(-12));
  for (const hidden of [...credentials, ...tails, ...hashed, value, SECRETS_KEY, NOTIFY_KEYS])
    expect(rows).not.toContain(hidden);
  expect(rows).not.toMatch(/5ecret|relata_|last_four|"prefix"|_hash|ciphertext|key_hash/);
});
