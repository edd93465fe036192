import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { newId } from '@relata/db';
import { SettingsError } from '@relata/runtime';
import { secretsSettings } from '@relata/secrets';
import { expect, test } from 'vitest';
import { addOrganization, setUpDiagnosis } from '../diagnosis.harness.ts';

const diagnosis = setUpDiagnosis();

test('misspelt variables are a warning, which also names empty variables and shows no value', async () => {
  const environment = {
    DATABSE_POOL_MAX: 'secret-word',
    WORKER_CONCURENCY: '4',
    CHAT_MODEL: 'x',
    PATH: '/',
    HOME: '/',
  };
  const finding = await diagnosis.find('settings', { environment, emptyVariables: ['NATS_PREFIX', 'EDITOR'] });
  expect(finding).toMatchObject({
    level: 'warning',
    found:
      'Unknown: DATABSE_POOL_MAX (DATABASE_POOL_MAX?), WORKER_CONCURENCY (WORKER_CONCURRENCY?). Empty, and ' +
      'therefore not set: NATS_PREFIX.',
  });
});

const base = new URL('../../../../infra/kubernetes/base/', import.meta.url);
const pods = (await readdir(base)).filter((file) =>
  readFileSync(new URL(file, base), 'utf8').includes('\n          env:\n'),
);

/** Returns the settings of a pod: those with a value or from a Secret, and the names of empty ones. */
function environmentOf(file: string) {
  const text = readFileSync(new URL(file, base), 'utf8');
  const given = [...text.matchAll(/^ {12}- name: ([A-Z_]+)\n {14}value: (.*)$/gm)].map(([, name, value]) => [
    name!,
    value!,
  ]);
  const secrets = [...text.matchAll(/^ {12}- name: ([A-Z_]+)\n {14}valueFrom:$/gm)].map(([, name]) => [
    name!,
    'secret-word',
  ]);
  const isEmpty = ([, value]: string[]) => value === "''";
  const environment = Object.fromEntries([...given.filter((each) => !isEmpty(each)), ...secrets]) as Record<
    string,
    string
  >;
  return { environment, emptyVariables: given.filter(isEmpty).map(([name]) => name!) };
}

test.each(pods)('the settings of a pod, including empty ones, cause no warning: %s', async (file) => {
  const pod = environmentOf(file);
  expect(Object.keys(pod.environment).length).toBeGreaterThan(1);
  const finding = await diagnosis.find('settings', pod);
  expect(finding).toMatchObject({ level: 'ok', found: expect.stringContaining('all known') });
  for (const name of pod.emptyVariables.slice(0, 3)) expect(finding.found).toContain(name);
});

const [mine, another] = [1, 2].map((n) => secretsSettings.SECRETS_KEY.parse(Buffer.alloc(32, n).toString('hex'))!);

test.each([
  ['secrets-key', 'SECRETS_KEY'],
  ['signing-keys', 'SIGNING_KEYS'],
  ['notify-keys', 'NOTIFY_KEYS'],
])('%s: stored secrets without %s are a warning, and without their key a fault', async (check, setting) => {
  const { org, trigger } = await addOrganization(diagnosis);
  expect(await diagnosis.find(check)).toMatchObject({ level: 'ok' });
  const key = mine![0].id;
  await diagnosis.sql("INSERT INTO organization_secrets (org_id, name, key_id, ciphertext) VALUES ($1, 'A', $2, '')", [
    org,
    key,
  ]);
  await diagnosis.sql(
    "INSERT INTO webhook_signing_secrets (org_id, trigger_id, id, key_id, ciphertext) VALUES ($1, $2, $3, $4, '')",
    [org, trigger, newId(), key],
  );
  await diagnosis.sql(
    `INSERT INTO notify_channels (org_id, kind, key_id, ciphertext, host, last_four)
     VALUES ($1, 'slack', $2, '', 'hooks.slack.com', 'abcd')`,
    [org, key],
  );
  expect(await diagnosis.find(check)).toMatchObject({ level: 'warning', advice: expect.stringContaining(setting) });
  expect(await diagnosis.find(check, { keysOf: () => mine })).toMatchObject({ level: 'ok' });
  expect(await diagnosis.find(check, { keysOf: () => another })).toMatchObject({
    level: 'fault',
    found: expect.stringContaining(key),
  });
  const keysOf = () => {
    throw new SettingsError('These settings are wrong');
  };
  expect(await diagnosis.find(check, { keysOf })).toMatchObject({
    level: 'fault',
    found: expect.stringMatching(new RegExp(`^${setting} is not a list of keys, so 1 value of .* cannot be read\\.$`)),
    advice: expect.stringContaining('32 bytes'),
  });
});
