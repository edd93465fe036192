import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrganization } from '@relata/auth';
import { readSecrets, secretsSettings } from '@relata/secrets';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { natsUrl, relata, setUpCli } from '../../cli.harness.ts';

const cli = setUpCli();
const SECRETS_KEY = randomBytes(32).toString('base64');
const keys = secretsSettings.SECRETS_KEY.parse(SECRETS_KEY)!;
const value = 'tok-5ecret';
let org: string;
let other: string;
let folder: string;

beforeAll(async () => {
  org = (await createOrganization(cli.database(), 'Acme')).id;
  other = (await createOrganization(cli.database(), 'Globex')).id;
  folder = await mkdtemp(join(tmpdir(), 'relata-secrets-'));
});
afterAll(() => rm(folder, { recursive: true }));

const run = (
  args: readonly string[],
  { stdin, env = { SECRETS_KEY } }: { stdin?: string; env?: NodeJS.ProcessEnv } = {},
) => cli.run(args, env, stdin);
const set = (name: string, stdin: string, ...more: string[]) =>
  run(['secrets', 'set', name, '--org', org, ...more], { stdin });
const stored = async (name: string) => (await readSecrets(cli.database(), org, [name], keys))[name];

test('a secret is set from standard input or a file, listed and removed, and its value is never shown', async () => {
  const created = await set('CRM_TOKEN', `${value}\n`, '--json');
  expect(JSON.parse(created.stdout)).toMatchObject({ org_id: org, name: 'CRM_TOKEN', action: 'created' });
  expect(await stored('CRM_TOKEN')).toBe(value);
  const file = join(folder, 'token.txt');
  await writeFile(file, `line\n\n${value}\r\n`);
  const updated = await set('CRM_TOKEN', '', '--value-file', file);
  expect(updated).toMatchObject({ code: 0, stdout: expect.stringContaining('${{ secrets.CRM_TOKEN }}') });
  expect(await stored('CRM_TOKEN')).toBe(`line\n\n${value}`);
  const listed = await cli.run(['secrets', 'list', '--org', org]);
  expect(listed.stdout).toMatch(/CRM_TOKEN/);
  expect(await cli.json('secrets', 'list', '--org', org)).toEqual([
    {
      org_id: org,
      name: 'CRM_TOKEN',
      key_id: keys[0].id,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    },
  ]);
  expect(await cli.json('secrets', 'list', '--org', other)).toEqual([]);
  expect(await cli.fault('secrets', 'remove', 'CRM_TOKEN', '--org', other)).toMatchObject({ code: 3 });
  const removed = await cli.run(['secrets', 'remove', 'CRM_TOKEN', '--org', org]);
  expect(removed.code).toBe(0);
  expect(JSON.stringify([created, updated, listed, removed])).not.toContain(value);
  expect(await cli.json('secrets', 'list', '--org', org)).toEqual([]);
});

test('a value on the command line is refused', async () => {
  expect(await set('A', '', '--value', value, '--json')).toMatchObject({ code: 2 });
});

test.for([
  ['A-B', value, 'name: May contain only letters, digits and _'],
  ['A', '', 'value: Must not be empty.'],
  ['A', '\n', 'value: Must not be empty.'],
  ['A', `${value}${'x'.repeat(8_192)}`, 'value: Must have at most 8192 bytes.'],
  ['A', `${value}\u0000`, 'value: Must not contain U+0000'],
] as const)('%s with an invalid value is refused without quoting the value', async ([name, stdin, said]) => {
  const { code, stdout, stderr } = await set(name, stdin, '--json');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(JSON.parse(stderr)).toMatchObject({ error: 'validation_error', message: expect.stringContaining(said) });
  expect(stderr).not.toContain('5ecret');
});

test.for([
  ['no key', undefined, 'SECRETS_KEY'],
  ['an invalid key', 'half-a-key', 'must be 32 bytes in base64 or hex'],
] as const)('with %s no secret is set', async ([, key, said]) => {
  const env = key === undefined ? {} : { SECRETS_KEY: key };
  const { code, stderr } = await run(['secrets', 'set', 'A', '--org', org, '--json'], { stdin: value, env });
  expect(code).toBe(1);
  expect(JSON.parse(stderr)).toMatchObject({
    error: 'configuration_error',
    message: expect.stringContaining(said),
  });
  expect(stderr).not.toContain('half-a-key');
});

test('without a key in the environment, the key of the running local stack encrypts secrets', async () => {
  await mkdir(join(folder, '.local'));
  const keyFile = join(folder, '.local/secrets.key');
  await writeFile(keyFile, `${SECRETS_KEY}\n`);
  const stack = { postgres: { url: cli.url() }, nats: { url: natsUrl() }, secrets: { key_file: keyFile } };
  await writeFile(join(folder, '.local/stack.json'), JSON.stringify(stack));
  const { code } = await relata(['secrets', 'set', 'STACK', '--org', org], { cwd: folder, stdin: value });
  expect(code).toBe(0);
  expect(await stored('STACK')).toBe(value);
});

test('reencrypt encrypts all secrets with the first key and lists them', async () => {
  await set('OLD', value);
  const added = randomBytes(32).toString('hex');
  const env = { SECRETS_KEY: `${added},${SECRETS_KEY}` };
  const { stdout } = await run(['secrets', 'reencrypt', '--json'], { env });
  expect(JSON.parse(stdout)).toContainEqual({ org_id: org, name: 'OLD' });
  const alone = await run(['secrets', 'reencrypt', '--org', org, '--json'], { env: { SECRETS_KEY: added } });
  expect(JSON.parse(alone.stdout)).toEqual([]);
  const back = await run(['secrets', 'reencrypt', '--json'], { env: { SECRETS_KEY } });
  expect(back.code).toBe(1);
  expect(JSON.parse(back.stderr)).toMatchObject({
    error: 'conflict',
    message: expect.stringContaining('which SECRETS_KEY lacks'),
  });
  expect((await run(['secrets', 'reencrypt'], { env: { SECRETS_KEY: `${SECRETS_KEY},${added}` } })).code).toBe(0);
  expect(await stored('OLD')).toBe(value);
});

test('apply warns of a workflow that reads a missing secret or contains a secret in plain text', async () => {
  await set('THERE', value);
  const call = (headers: object) => ({
    use: 'http.request',
    with: { method: 'GET', url: 'https://a.example/', headers },
  });
  const steps = [
    { id: 'a', ...call({ Authorization: 'Bearer ${{ secrets.THERE }}' }) },
    {
      id: 'b',
      use: 'for_each',
      with: { items: [] },
      steps: [{ id: 'c', ...call({ 'X-A': '${{ secrets.NOT_THERE }}' }) }],
    },
    { id: 'd', ...call({ Authorization: value, Accept: '*/*' }) },
  ];
  const file = join(folder, 'workflow.json');
  await writeFile(file, JSON.stringify({ name: 'calling', steps }));
  expect((await cli.json('workflows', 'apply', file, '--org', org)).warnings).toEqual([
    { path: 'steps[2].with.headers.Authorization', message: expect.any(String), hint: expect.any(String) },
    {
      path: 'steps[1].steps[0].with',
      message: 'The organization has no secret NOT_THERE.',
      hint: `Set it: relata secrets set NOT_THERE --org ${org}`,
    },
  ]);
  const { code, stderr } = await cli.run(['workflows', 'apply', file, '--org', org]);
  expect(code).toBe(0);
  expect(stderr).toContain('relata: steps[1].steps[0].with: The organization has no secret NOT_THERE.');
  expect(stderr).not.toContain('5ecret');
});
