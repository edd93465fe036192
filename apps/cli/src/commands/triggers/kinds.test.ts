import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrganization } from '@relata/auth';
import { newId } from '@relata/db';
import { describeKind, type SignatureKindName, signatureKinds } from '@relata/signatures';
import { listen } from '@relata/testing';
import { storeDeliveries } from '@relata/workflows/intake';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { setUpCli } from '../../cli.harness.ts';

const cli = setUpCli();
const SIGNING_KEYS = randomBytes(32).toString('base64');
let org: string;

beforeAll(async () => void (org = (await createOrganization(cli.database(), 'Acme')).id));

async function fileWith(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'relata-kind-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'secret.txt');
  await writeFile(file, `${text}\n`);
  return file;
}

const options: Partial<Record<SignatureKindName, string[]>> = {
  hmac: [
    '--header',
    'X-Sig',
    '--template',
    '{id}.{timestamp}.{body}',
    '--id-header',
    'X-Id',
    '--time-part',
    't',
    '--signature-part',
    'v1',
  ],
  basic: ['--user', 'ada'],
  header: ['--header', 'X-Acme-Key'],
  query: ['--parameter', 'door'],
};

const given = (kind: SignatureKindName) => [
  '--org',
  org,
  '--name',
  kind,
  '--signature',
  kind,
  ...(options[kind] ?? []),
];
const run = (args: string[], keys = SIGNING_KEYS) => cli.run(args, { SIGNING_KEYS: keys });

const own = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test.for(signatureKinds)('triggers create --signature %s prints the URL and the set-up steps', async (kind) => {
  const { secret, setup, warning } = describeKind(kind);
  const file = secret.isOurs ? [] : ['--secret-file', await fileWith(own)];
  const { code, stdout, stderr } = await run(['triggers', 'create', ...given(kind), ...file]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const [, id] = /^id +(\S+)$/m.exec(stdout)!;
  expect(stdout).toContain(`https://YOUR-SERVICE/webhooks/trigger/${id}`);
  for (const [at, { text }] of setup.entries()) expect(stdout).toContain(`  ${at + 1}. ${text.replace(/[.:]$/, '')}`);
  expect(stdout).not.toMatch(/[.:]: /);
  expect(stdout.includes('shown only once')).toBe(secret.isOurs || kind === 'meta');
  expect(stdout).not.toContain(own);
  expect(stdout).not.toContain('undefined');
  expect(stdout.includes('Warning: ')).toBe(warning !== undefined);
  const [, page = ''] = /^ *More: (docs\/senders\/\S+\.md)$/m.exec(stdout) ?? [];
  const { maker, proof } = describeKind(kind);
  const text = await readFile(new URL(`../../../../../${page}`, import.meta.url), 'utf8');
  expect(text.split('\n')[0]).toBe(`# ${proof === 'secret' ? 'Senders that repeat a secret' : maker}`);
});

test('with PUBLIC_URL, the URL of a trigger and the page about its sender have the public address (found C3)', async () => {
  const PUBLIC_URL = 'https://crm.example/';
  const create = (...more: string[]) =>
    cli.run(['triggers', 'create', '--org', org, ...more], { SIGNING_KEYS, PUBLIC_URL });
  const signed = await create('--name', 'Signed', '--signature', 'stripe', '--secret-follows');
  expect(signed.stdout).toMatch(/^ *More: https:\/\/crm\.example\/docs\/senders\/stripe$/m);
  expect(signed.stdout).toMatch(/^url +https:\/\/crm\.example\/webhooks\/trigger\/\S+$/m);
  const own = await create('--name', 'Own');
  expect(own.stdout).toMatch(/^ *More: https:\/\/crm\.example\/docs\/webhooks$/m);
});

test('the options of a kind are stored, and their values are in the steps', async () => {
  const { stdout } = await run(['triggers', 'create', ...given('hmac'), '--json']);
  expect(JSON.parse(stdout).signature.options).toMatchObject({
    header: 'x-sig',
    template: '{id}.{timestamp}.{body}',
    idHeader: 'x-id',
    timePart: 't',
    signaturePart: 'v1',
  });
  const basic = await run(['triggers', 'create', ...given('basic')], '');
  expect(basic).toMatchObject({ code: 0, stdout: expect.stringContaining('User name: ada') });
  expect(basic.stdout).toContain('can send it again');
});

test.for([
  ['stripe', 'sk_live_0123456789', 'Is a secret API key of Stripe'],
  ['slack', 'xoxb-0123456789-abc', 'Is a token of Slack'],
  ['linear', 'lin_api_0123456789', 'Is an API key of Linear'],
  ['paddle', 'pdl_live_apikey_0123456789', 'Is an API key of Paddle'],
  ['bearer', 'too-short', 'Must have 16'],
] as const)('a wrong secret for %s is refused, and the message says what it is', async ([kind, text, said]) => {
  const { code, stderr } = await run(['triggers', 'create', ...given(kind), '--secret-file', await fileWith(text)]);
  expect(code).toBe(2);
  expect(stderr).toContain(`--secret-file: ${said}`);
  expect(stderr).not.toContain(text);
});

test.for([
  [['--signature', 'github', '--user', 'ada'], '--user can be used only with --signature basic'],
  [['--signature', 'header'], '--header'],
  [['--signature', 'query'], '--parameter'],
  [['--signature', 'github', '--verify-token-file', '-'], '--verify-token-file'],
  [['--signature', 'stripe', '--secret-follows', '--secret-file', 'x'], '--secret-follows'],
  [['--secret-follows'], '--secret-follows needs --signature'],
  [['--signature', 'github', '--secret-follows'], '--secret-follows is not needed with --signature github'],
  [
    ['--signature', 'hmac', '--header', 'X-Sig', '--time-part', 't', '--template', '{timestamp}{body}'],
    '--signature-part',
  ],
  [['--signature', 'hmac', '--header', 'X-Sig', '--template', '{id}{body}'], '--id-header'],
] as const)('refuses %j and names the option', async ([args, said]) => {
  const outcome = await run(['triggers', 'create', '--org', org, '--name', 'x', ...args]);
  expect(outcome.code).toBe(2);
  expect(outcome.stderr).toContain(said);
});

test('a secret that is too short to show its last characters is listed as stored', async () => {
  const { stdout } = await run([
    'triggers',
    'create',
    ...given('intercom'),
    '--secret-file',
    await fileWith('15-characters-!'),
  ]);
  expect(stdout).toContain('The client secret is under Basic information: stored already\n');
});

test('a sender that shows its secret later gets a placeholder, which is not shown as a secret', async () => {
  const { stdout } = await cli.run(['triggers', 'create', ...given('stripe'), '--secret-follows'], {
    SIGNING_KEYS,
    RELATA_COMMAND: 'npx relata',
  });
  const [, id] = /^id +(\S+)$/m.exec(stdout)!;
  expect(stdout).toContain(`put it into FILE and run npx relata triggers rotate ${id} --secret-file FILE`);
  expect(await cli.json('triggers', 'show', id!)).toMatchObject({
    last_success_at: null,
    secrets: [{ is_current: true, last_four: null, last_used_at: null }],
  });
  const rotated = await run(['triggers', 'rotate', id!, '--secret-file', await fileWith('whsec_of_the_sender_4711')]);
  expect(rotated.code).toBe(0);
  expect(await cli.json('triggers', 'show', id!)).toMatchObject({ secrets: [{ is_current: true, last_four: '4711' }] });
});

test('a verify token is shown once, and can be replaced', async () => {
  const secret = ['--secret-file', await fileWith('the-app-secret-of-meta')];
  const { stdout } = await run(['triggers', 'create', ...given('meta'), ...secret, '--json']);
  const made = JSON.parse(stdout);
  expect(made.verify_token).toMatch(/^[\w-]{32}$/);
  expect(JSON.stringify(await cli.json('triggers', 'show', made.id))).not.toContain(made.verify_token);
  const file = await fileWith('a-token-of-ours');
  expect((await run(['triggers', 'update', made.id, '--verify-token-file', file])).code).toBe(0);
  const other = await run(['triggers', 'create', ...given('meta'), ...secret, '--verify-token-file', file, '--json']);
  expect(JSON.parse(other.stdout)).not.toHaveProperty('verify_token');
});

/** Receives one post as the receiver does, and returns it. */
async function receive(id: string, test: (url: string) => Promise<unknown>) {
  let taken: { body: string; request: IncomingMessage } | undefined;
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
    taken = { body, request };
    const headers = { 'idempotency-key': String(request.headers['idempotency-key']) };
    const stored = { orgId: org, id: newId(), triggerId: id, keyHash: undefined, body: Buffer.from('{}'), headers };
    await storeDeliveries(cli.database(), [{ ...stored, skipped: [], runs: [] }]);
    response.writeHead(202).end('{"received":true}');
  };
  const server = createServer((request, response) => void take(request, response));
  await test((await listen(server)).url);
  server.close();
  return taken!;
}

test('triggers test posts the sample of the kind with its headers, signed', async () => {
  const { stdout } = await run(['triggers', 'create', ...given('typeform'), '--json']);
  const { id, secret } = JSON.parse(stdout);
  const { body, request } = await receive(id, (url) => run(['triggers', 'test', id, '--url', url]));
  const right = createHmac('sha256', secret).update(body).digest('base64');
  expect(request.headers['typeform-signature']).toBe(`sha256=${right}`);
  expect(JSON.parse(body)).toMatchObject({ event_type: 'form_response', event_id: expect.any(String) });
  const github = JSON.parse((await run(['triggers', 'create', ...given('github'), '--json'])).stdout);
  const posted = await receive(github.id, (url) => run(['triggers', 'test', github.id, '--url', url]));
  expect(posted.request.headers).toMatchObject({
    'x-github-event': 'issues',
    'x-github-delivery': expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});

test('triggers test sends the secret in the URL for the kind query, and never prints it', async () => {
  const { stdout } = await run(['triggers', 'create', ...given('query'), '--json']);
  const { id, secret } = JSON.parse(stdout);
  let said = '';
  const { request } = await receive(id, async (url) => {
    const outcome = await run(['triggers', 'test', id, '--url', url, '--secret', secret]);
    said = outcome.stdout + outcome.stderr;
  });
  expect(request.url).toBe(`/webhooks/trigger/${id}?door=${secret}`);
  expect(said).not.toContain(secret);
});
