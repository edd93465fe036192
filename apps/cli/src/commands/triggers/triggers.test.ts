import { createApiKey, createOrganization, hashCredential, revokeApiKey } from '@relata/auth';
import { Messaging, triggersChanged } from '@relata/messaging';
import type { Scope } from '@relata/schemas';
import { until } from '@relata/testing';
import { findTriggerSnapshots } from '@relata/workflows/intake';
import { beforeAll, describe, expect, test } from 'vitest';
import { natsUrl, setUpCli } from '../../cli.harness.ts';
import { inboundLead, makeTrigger, makeWorkflow } from '../workflows/workflows.harness.ts';

const cli = setUpCli();
let org: string;

beforeAll(async () => {
  org = (await createOrganization(cli.database(), 'Acme')).id;
  await makeWorkflow(cli.database(), org, inboundLead);
});

const create = (...options: string[]) => cli.json('triggers', 'create', '--org', org, '--name', 'Web form', ...options);
const make = () => makeTrigger(cli.database(), org);
const makeKey = (scope: Scope, orgId = org) =>
  createApiKey(cli.database(), orgId, { name: scope, kind: 'secret', scopes: [scope] });

async function openersOf(id: string): Promise<string[]> {
  const [open] = await findTriggerSnapshots(cli.database(), [id]);
  return open!.secrets.map(({ hash }) => hash);
}

test('the URL of a trigger begins with PUBLIC_URL, and a wrong one creates nothing (found D4)', async () => {
  const words = ['triggers', 'create', '--org', org, '--name', 'Reached', '--json'];
  const { stdout } = await cli.run(words, {
    PUBLIC_URL: 'https://crm.example.com',
    CONSOLE_URL: 'https://desk.example',
  });
  const { id, url } = JSON.parse(stdout);
  expect(url).toBe(`https://crm.example.com/webhooks/trigger/${id}`);
  const before = await cli.json('triggers', 'list', '--org', org);
  const { code, stderr } = await cli.run(words, { PUBLIC_URL: 'crm.example.com/webhooks' });
  expect([code, JSON.parse(stderr).error]).toEqual([1, 'configuration_error']);
  expect(await cli.json('triggers', 'list', '--org', org)).toEqual(before);
});

test('an invalid address in the settings causes only a warning when triggers are shown (found D4)', async () => {
  const { id } = await make();
  for (const words of [
    ['show', id],
    ['list', '--org', org],
  ]) {
    const { code, stdout, stderr } = await cli.run(['triggers', ...words], { CONSOLE_URL: 'crm.example.com' });
    expect([code, stdout, stderr]).toEqual([0, expect.stringContaining(id), expect.stringContaining('CONSOLE_URL')]);
  }
});

test('a trigger gets its own secret, which is shown once and authenticates senders', async () => {
  const made = await create();
  expect(made).toMatchObject({ name: 'Web form', mode: 'unique', active: true, key_id: null });
  expect(made).toMatchObject({
    secret: expect.stringMatching(/^relata_whs_/),
    url_path: `/webhooks/trigger/${made.id}`,
  });
  expect(await openersOf(made.id)).toEqual([hashCredential(made.secret)]);
  const { stdout } = await cli.run(['triggers', 'show', made.id, '--json']);
  expect(stdout).not.toContain(made.secret);
  expect(JSON.parse(stdout).secrets).toEqual([
    {
      is_current: true,
      last_four: made.secret.slice(-4),
      expires_at: null,
      last_used_at: null,
      created_at: made.created_at,
      is_placeholder: false,
    },
  ]);
});

test('triggers create prints instructions for the sender', async () => {
  const { stdout } = await cli.run(['triggers', 'create', '--org', org, '--name', 'x']);
  const { id, secret } = /^id +(?<id>\S+)$[^]*^secret +(?<secret>\S+)$/m.exec(stdout)!.groups!;
  expect(stdout).toContain('shown only once');
  expect(stdout).toContain(`post JSON to /webhooks/trigger/${id} `);
  expect(stdout).toContain(`curl https://YOUR-SERVICE/webhooks/trigger/${id} -H 'X-Webhook-Secret: ${secret}'`);
});

test('a rotated secret stays valid for its overlap, and the receivers are notified', async () => {
  await using messaging = new Messaging({ url: natsUrl(), name: 'test' });
  const made = await make();
  let told = 0;
  messaging.subscribe(triggersChanged, ({ ids }) => void (told += ids.filter((id) => id === made.id).length));
  await messaging.connected(60_000);
  const rotated = await cli.json('triggers', 'rotate', made.id, '--overlap', '1h');
  expect(rotated).toMatchObject({ id: made.id, secret_last_four: rotated.secret.slice(-4) });
  expect((await openersOf(made.id)).toSorted()).toEqual([made.secret, rotated.secret].map(hashCredential).toSorted());
  await until(() => expect(told).toBe(1));
  const { secrets } = await cli.json('triggers', 'show', made.id);
  expect(Math.abs(Date.parse(secrets[1].expires_at) - Date.now() - 3_600_000)).toBeLessThan(60_000);
});

test('a key with the scope webhook authenticates senders instead of a secret', async () => {
  const key = await makeKey('webhook');
  const made = await create('--key', key.id);
  expect(made).toMatchObject({ mode: 'shared', key_id: key.id });
  expect(made).not.toHaveProperty('secret');
  expect(await cli.fault('triggers', 'rotate', made.id)).toMatchObject({
    code: 1,
    error: 'conflict',
    message: expect.stringContaining(`relata keys rotate ${key.id}`),
  });
  const other = await makeKey('webhook');
  expect(await cli.json('triggers', 'select-key', made.id, other.id)).toMatchObject({ key_id: other.id });
  expect(await openersOf(made.id)).toEqual([hashCredential(other.key)]);
});

test('a trigger refuses a key that cannot authenticate its senders', async () => {
  const { id: globex } = await createOrganization(cli.database(), 'Globex');
  const foreign = await makeKey('webhook', globex);
  const revoked = await makeKey('webhook');
  await revokeApiKey(cli.database(), org, revoked.id);
  const refused: [string, string, number][] = [
    [foreign.id, 'another organization', 2],
    [revoked.id, 'was revoked', 2],
    [(await makeKey('chat')).id, 'lacks the scope webhook', 2],
    [org, 'There is no key', 3],
  ];
  for (const [key, said, code] of refused)
    expect(await cli.fault('triggers', 'create', '--org', org, '--name', 'x', '--key', key)).toMatchObject({
      code,
      message: expect.stringContaining(said),
    });
});

test('a disabled trigger accepts no delivery until it is enabled', async () => {
  const { id } = await make();
  expect(await cli.json('triggers', 'disable', id)).toMatchObject({ id, active: false });
  expect(await findTriggerSnapshots(cli.database(), [id])).toEqual([]);
  expect(await cli.json('triggers', 'enable', id)).toMatchObject({ id, active: true });
  expect(await cli.fault('triggers', 'enable', org)).toMatchObject({ code: 3, error: 'not_found' });
});

describe('assign', () => {
  test('assign maps inputs to fields and constants, a second one replaces the first, and unassign removes it', async () => {
    const { id } = await make();
    const first = ['--input', 'email=payload.user.email', '--input', 'source:="web = site"', '--filter', 'payload.ok'];
    const { stdout } = await cli.run(['triggers', 'assign', id, 'inbound-lead', ...first]);
    expect(stdout).toContain('email=payload.user.email source:="web = site"');
    const assigned = await cli.json('triggers', 'show', id);
    expect(assigned.assignments).toMatchObject([
      {
        workflow: 'inbound-lead',
        inputs: { email: 'payload.user.email', source: { const: 'web = site' } },
        filter: 'payload.ok',
      },
    ]);
    const again = await cli.json('triggers', 'assign', id, 'inbound-lead', '--input', 'email=payload.mail');
    expect(again).toMatchObject({ id, inputs: { email: 'payload.mail' }, filter: null });
    expect(await cli.json('triggers', 'list', '--org', org)).toContainEqual(
      expect.objectContaining({ id, workflows: ['inbound-lead'] }),
    );
    expect(await cli.json('triggers', 'unassign', id, 'inbound-lead')).toMatchObject({ id, workflows: [] });
    expect(await cli.fault('triggers', 'unassign', id, 'inbound-lead')).toMatchObject({ code: 3 });
  });

  test('assign reports every problem of a mapping', async () => {
    const { id } = await make();
    const given = ['--input', 'emial=payload.email', '--input', 'source=user.source', '--filter', 'payload.ok ='];
    const { code, message } = await cli.fault('triggers', 'assign', id, 'inbound-lead', ...given);
    expect(code).toBe(2);
    for (const said of ['no input "emial"', '"source" must be mapped', '"email" is required', 'filter is wrong'])
      expect(message).toContain(said);
  });

  test.each([
    [['--input', 'email'], 'Must look like'],
    [['--input', 'email:=x'], 'not JSON'],
    [['--input', 'email=payload.a', '--input', 'email=payload.b'], '"email" is given twice'],
  ])('assign refuses %j', async (given, said) => {
    const fault = await cli.fault('triggers', 'assign', org, 'inbound-lead', ...given);
    expect(fault).toMatchObject({ code: 2, message: expect.stringContaining(said) });
  });

  test("assign does not find another organization's workflow", async () => {
    const { id: other } = await createOrganization(cli.database(), 'Initech');
    const trigger = await makeTrigger(cli.database(), other);
    expect(await cli.fault('triggers', 'assign', trigger.id, 'inbound-lead')).toMatchObject({ code: 3 });
  });
});

test('renaming a trigger changes nothing else', async () => {
  const { id, repeat_key } = await create('--repeat-key', 'payload.id');
  expect(await cli.json('triggers', 'update', id, '--name', 'Form of the website')).toMatchObject({
    name: 'Form of the website',
    active: true,
    repeat_key,
  });
  expect(await cli.fault('triggers', 'update', id)).toMatchObject({
    code: 2,
    message: 'Give --name, --repeat-key or --verify-token-file.',
  });
});

test('a trigger is created with a repeat key, which can be changed and removed', async () => {
  const { id, repeat_key } = await create('--repeat-key', 'delivery.headers["x-github-delivery"]');
  expect(repeat_key).toBe('delivery.headers["x-github-delivery"]');
  expect(await cli.json('triggers', 'update', id, '--repeat-key', 'payload.id')).toMatchObject({
    id,
    repeat_key: 'payload.id',
  });
  expect(await cli.fault('triggers', 'update', id, '--repeat-key', 'payload.')).toMatchObject({
    error: 'validation_error',
    message: expect.stringMatching(/^--repeat-key: .*line 1, column 9/),
  });
  expect(await cli.json('triggers', 'show', id)).toMatchObject({ repeat_key: 'payload.id' });
  expect(await cli.json('triggers', 'update', id, '--repeat-key', '')).toMatchObject({ repeat_key: null });
});
