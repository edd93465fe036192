import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrganization } from '@relata/auth';
import { newId, statement } from '@relata/db';
import { listen } from '@relata/testing';
import { storeDeliveries } from '@relata/workflows/intake';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { setUpCli } from '../../cli.harness.ts';

const cli = setUpCli();
const SIGNING_KEYS = randomBytes(32).toString('base64');
let org: string;

beforeAll(async () => void (org = (await createOrganization(cli.database(), 'Acme')).id));

const run = async (args: string[], { stdin, keys = SIGNING_KEYS }: { stdin?: string; keys?: string } = {}) => {
  const outcome = await cli.run([...args, '--json'], { SIGNING_KEYS: keys }, stdin);
  // The tests assert the content of documents.
  // oxlint-disable-next-line typescript/no-explicit-any
  return { ...outcome, said: JSON.parse(outcome.stdout || outcome.stderr) as any };
};
const create = (kind: string, more: string[] = [], options = {}) =>
  run(['triggers', 'create', '--org', org, '--name', kind, '--signature', kind, ...more], options);

test('a secret that Relata may generate is created and shown once', async () => {
  const { said: made } = await create('github');
  expect(made).toMatchObject({
    mode: 'signature',
    signature: { kind: 'github' },
    secret: expect.stringMatching(/^relata_whs_/),
  });
  const { stdout } = await cli.run(['triggers', 'show', made.id, '--json']);
  expect(stdout).not.toContain(made.secret);
  expect(JSON.parse(stdout)).toMatchObject({
    secrets: [{ is_current: true, last_four: made.secret.slice(-4), expires_at: null, last_used_at: null }],
    secret_last_four: made.secret.slice(-4),
    last_success_at: null,
  });
  const { said: other } = await create('standard-webhooks');
  expect(other.secret).toMatch(/^whsec_/);
});

test("a sender's own secret is read from a file or standard input, and never shown", async () => {
  const secret = 'whsec_of_the_sender_alone';
  const folder = await mkdtemp(join(tmpdir(), 'relata-sender-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'secret.txt');
  await writeFile(file, `${secret}\n`);
  const outcomes = [
    await create('stripe', [], { stdin: `${secret}\r\n` }),
    await create('stripe', ['--secret-file', file]),
    await create('github', ['--secret-file', '-'], { stdin: secret }),
  ];
  for (const { code, said, stdout, stderr } of outcomes) {
    expect({ code, mode: said.mode }).toEqual({ code: 0, mode: 'signature' });
    expect(stdout + stderr).not.toContain(secret);
    expect(said).not.toHaveProperty('secret');
  }
});

test('the options of hmac are stored, and unsuitable ones are refused', async () => {
  const options = ['--header', 'X-Sig', '--algorithm', 'sha512', '--encoding', 'base64', '--prefix', 'v1='];
  const timed = ['--template', '{timestamp}.{body}', '--timestamp-header', 'X-Time'];
  const { said } = await create('hmac', [...options, ...timed]);
  expect(said.signature.options).toEqual({
    header: 'x-sig',
    algorithm: 'sha512',
    encoding: 'base64',
    prefix: 'v1=',
    template: '{timestamp}.{body}',
    timestampHeader: 'x-time',
  });
});

test.for([
  [['--signature', 'hmac'], '--header'],
  [['--signature', 'hmac', '--header', 'X-Sig', '--algorithm', 'md5'], '--algorithm'],
  [['--signature', 'hmac', '--header', 'X-Sig', '--template', '{timestamp}{body}'], '--timestamp-header'],
  [['--signature', 'github', '--header', 'X-Sig'], '--header'],
  [['--signature', 'nobody'], '--signature'],
  [['--secret-file', 'x'], '--signature'],
  [['--signature', 'github', '--key', '00000000-0000-4000-8000-000000000000'], '--key'],
  [['--signature', 'github', '--secret', 'x'], '--secret'],
  [['--signature', 'slack', '--secret-file', '/dev/null'], '--secret-file'],
] as const)('refuses %j and names the problem', async ([options, said]) => {
  const outcome = await run(['triggers', 'create', '--org', org, '--name', 'x', ...options]);
  expect(outcome).toMatchObject({ code: 2, said: { message: expect.stringContaining(said) } });
});

test('without SIGNING_KEYS no such trigger is created', async () => {
  const message = expect.stringContaining('SIGNING_KEYS is not set');
  expect(await create('github', [], { keys: '' })).toMatchObject({
    code: 1,
    said: { error: 'configuration_error', message },
  });
});

const eventsOf = statement<{ type: string; changed: string[] | null; record: object }>(
  'test.events_of',
  'SELECT type, changed, record FROM events WHERE record_id = $1 ORDER BY seq',
);

test('a rotated secret stays valid for the overlap, and events contain neither secret', async () => {
  const { said: made } = await create('github');
  const { said: rotated } = await run(['triggers', 'rotate', made.id, '--overlap', '1h']);
  expect(rotated.secret).not.toBe(made.secret);
  const { secrets } = await cli.json('triggers', 'show', made.id);
  expect(secrets).toMatchObject([{ expires_at: null }, { expires_at: expect.any(String) }]);
  const given = await run(['triggers', 'rotate', made.id, '--secret-file', '-'], { stdin: 'another-of-theirs' });
  expect(given.said).not.toHaveProperty('secret');
  expect((await cli.json('triggers', 'show', made.id)).secrets).toHaveLength(1);
  const events = await cli.database().query(eventsOf, [made.id]);
  expect(events).toMatchObject([
    { type: 'trigger.created', record: { mode: 'signature', signature: { kind: 'github' } } },
    { type: 'trigger.secret_rotated', changed: ['secret'] },
    { type: 'trigger.secret_rotated', changed: ['secret'] },
  ]);
  for (const secret of [made.secret, rotated.secret, 'another-of-theirs'])
    expect(JSON.stringify(events)).not.toContain(secret.slice(-8));
  expect(await cli.fault('triggers', 'select-key', made.id, made.id)).toMatchObject({ code: 3 });
});

test('reencrypt encrypts with the first key, and the previous one can then be removed', async () => {
  const { said: made } = await create('github');
  const added = randomBytes(32).toString('hex');
  const { said } = await run(['triggers', 'reencrypt'], { keys: `${added},${SIGNING_KEYS}` });
  expect(said).toContainEqual({ org_id: org, id: made.id });
  expect((await run(['triggers', 'reencrypt', '--org', org], { keys: added })).said).toEqual([]);
  expect(await run(['triggers', 'reencrypt'])).toMatchObject({
    code: 1,
    said: { error: 'conflict', message: expect.stringContaining('which SIGNING_KEYS lacks') },
  });
  expect((await run(['triggers', 'reencrypt'], { keys: `${SIGNING_KEYS},${added}` })).code).toBe(0);
});

const damage = statement<never>(
  'test.damage_secrets',
  `UPDATE webhook_signing_secrets SET ciphertext = decode('00', 'hex') WHERE org_id = $1`,
);

test('an unreadable secret of one organization does not stop reencrypt for the others', async () => {
  const orgs = [await createOrganization(cli.database(), 'Damaged'), await createOrganization(cli.database(), 'Whole')];
  for (const { id } of orgs)
    await run(['triggers', 'create', '--org', id, '--name', 'GitHub', '--signature', 'github']);
  await cli.database().query(damage, [orgs[0]!.id]);
  const added = randomBytes(32).toString('hex');
  const all = await run(['triggers', 'reencrypt'], { keys: `${added},${SIGNING_KEYS}` });
  expect(all).toMatchObject({ code: 1, said: { error: 'conflict', message: expect.stringContaining('is damaged') } });
  expect((await run(['triggers', 'reencrypt', '--org', orgs[1]!.id], { keys: added })).said).toEqual([]);
});

test('triggers test signs with the stored secret', async () => {
  const { said: made } = await create('github');
  const signatures: unknown[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
    const right = createHmac('sha256', made.secret).update(Buffer.concat(chunks)).digest('hex');
    signatures.push([
      request.headers['x-hub-signature-256'] === `sha256=${right}`,
      request.headers['x-webhook-secret'],
    ]);
    const headers = { 'idempotency-key': String(request.headers['idempotency-key']) };
    const taken = { orgId: org, id: newId(), triggerId: made.id, keyHash: undefined, body: Buffer.from('{}'), headers };
    await storeDeliveries(cli.database(), [{ ...taken, skipped: [], runs: [] }]);
    response.writeHead(202).end('{"received":true}');
  };
  const server = createServer((request, response) => void take(request, response));
  const { url } = await listen(server);
  const { code } = await run(['triggers', 'test', made.id, '--url', url]);
  server.close();
  expect({ code, signatures }).toEqual({ code: 0, signatures: [[true, undefined]] });
});
