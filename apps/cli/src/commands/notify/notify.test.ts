import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrganization } from '@relata/auth';
import { Notifier } from '@relata/notify';
import { createLog } from '@relata/runtime';
import { notifySettings } from '@relata/secrets';
import { teamChannel } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setUpCli } from '../../cli.harness.ts';

const cli = setUpCli();
const NOTIFY_KEYS = randomBytes(32).toString('base64');
const url = 'https://hooks.slack.com/services/T000/B000/s3cretpart9xyz';
let org: string;
let folder: string;

beforeAll(async () => {
  org = (await createOrganization(cli.database(), 'Acme')).id;
  folder = await mkdtemp(join(tmpdir(), 'relata-notify-'));
});
afterAll(() => rm(folder, { recursive: true }));

const run = (args: readonly string[], { stdin, keys = NOTIFY_KEYS }: { stdin?: string; keys?: string } = {}) =>
  cli.run(['notify', ...args, '--json'], { NOTIFY_KEYS: keys }, stdin);

const set = (...args: string[]) => run(['set', '--org', org, ...args]);

test('a channel is set from an option, a file or standard input, shown without its URL, and removed', async () => {
  const file = join(folder, 'url.txt');
  await writeFile(file, `${url}\n`);
  const outputs = [
    await set('--channel', url),
    await set('--channel-file', file),
    await run(['set', '--org', org], { stdin: `${url}\n` }),
  ];
  for (const { code, stdout } of outputs) {
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'slack', host: 'hooks.slack.com', url_ends_with: '9xyz' });
  }
  const shown = await run(['show', '--org', org]);
  expect(JSON.parse(shown.stdout)).toMatchObject({ org_id: org, last_error: null, waiting: 0, test: null });
  const removed = await run(['remove', '--org', org]);
  expect(removed.code).toBe(0);
  expect(JSON.stringify([outputs, shown, removed])).not.toContain('s3cret');
  expect(await run(['show', '--org', org])).toMatchObject({ code: 3 });
  expect(await run(['remove', '--org', org])).toMatchObject({ code: 3 });
  expect(await run(['test', '--org', org])).toMatchObject({ code: 3 });
});

test.for([
  ['no URL', 'hooks.slack.com/s3cret', 'url: Must be the URL'],
  ['another protocol', 'ftp://hooks.slack.com/s3cret', 'url: Must be the URL'],
  ['a password', 'https://me:s3cret@hooks.slack.com/', 'url: Must not contain a user name or a password.'],
  ['plain http', 'http://hooks.slack.com/s3cret', 'url: Must begin with https://.'],
  ['an unknown host', 'https://chat.example/s3cret', 'kind: The host does not belong to a known chat service.'],
] as const)('%s is refused without quoting it', async ([, given, said]) => {
  const { code, stderr } = await set('--channel', given);
  expect(code).toBe(2);
  expect(JSON.parse(stderr)).toMatchObject({ error: 'validation_error', message: expect.stringContaining(said) });
  expect(stderr).not.toContain('s3cret');
});

test.for([
  ['https://prod-1.westeurope.logic.azure.com/workflows/1', 'teams'],
  ['https://acme.webhook.office.com/webhookb2/1', 'teams'],
  ['https://discord.com/api/webhooks/1/2', 'discord'],
  ['https://chat.googleapis.com/v1/spaces/1/messages?key=1', 'google-chat'],
] as const)('%s is recognized as %s', async ([given, kind]) => {
  expect(JSON.parse((await set('--channel', given)).stdout)).toMatchObject({ kind });
});

test('a given kind overrides the one of the host', async () => {
  const { stdout } = await set('--channel', 'https://chat.example/hooks/1', '--kind', 'discord');
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'discord', host: 'chat.example', url_ends_with: '' });
});

test('without NOTIFY_KEYS no channel is set', async () => {
  const { code, stderr } = await run(['set', '--org', org, '--channel', url], { keys: '' });
  expect(code).toBe(1);
  expect(JSON.parse(stderr)).toMatchObject({
    error: 'configuration_error',
    message: expect.stringContaining('NOTIFY_KEYS'),
  });
});

test('reencrypt encrypts channels with the first key', async () => {
  await set('--channel', url);
  const added = randomBytes(32).toString('hex');
  const both = await run(['reencrypt'], { keys: `${added},${NOTIFY_KEYS}` });
  expect(JSON.parse(both.stdout)).toContainEqual({ org_id: org, kind: 'slack' });
  expect(JSON.parse((await run(['reencrypt'], { keys: added })).stdout)).toEqual([]);
  const without = await run(['reencrypt'], { keys: NOTIFY_KEYS });
  expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('which NOTIFY_KEYS lacks')]);
});

/** Starts the notifier of a worker. */
function startNotifier(): Notifier {
  return new Notifier({
    database: cli.database(),
    log: createLog({ name: 'test', level: 'silent' }),
    keys: notifySettings.NOTIFY_KEYS.parse(NOTIFY_KEYS),
    guard: async () => [{ address: '127.0.0.1', family: 4 }],
    consoleUrl: undefined,
    everyMs: 100,
  }).start();
}

test('a worker sends the test message; if that fails, the command says why', async () => {
  const channel = await teamChannel(200, 404);
  await set('--channel', channel.url, '--kind', 'slack');
  await using _notifier = startNotifier();
  const sent = await run(['test', '--org', org]);
  expect([sent.code, JSON.parse(sent.stdout)]).toMatchObject([0, { test: 'sent', last_error: null }]);
  expect(channel.bodies[0]).toContain('Test message');
  const failed = await run(['test', '--org', org]);
  expect([failed.code, JSON.parse(failed.stderr)]).toMatchObject([
    1,
    { error: 'not_sent', message: 'The test message was not sent. The channel answered with status 404.' },
  ]);
});
