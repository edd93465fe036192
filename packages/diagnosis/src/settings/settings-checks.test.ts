import { newId } from '@relata/db';
import { secretsSettings } from '@relata/secrets';
import { expect, test } from 'vitest';
import { addOrganization, useDiagnosis } from '../diagnosis.harness.ts';

const diagnosis = useDiagnosis();

test('variables that are misspelt or empty are a warning that shows no value', async () => {
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
      'Unknown: DATABSE_POOL_MAX (DATABASE_POOL_MAX?), WORKER_CONCURENCY (WORKER_CONCURRENCY?). Empty, and so not set: NATS_PREFIX.',
  });
});

const [mine, another] = [1, 2].map((n) => secretsSettings.SECRETS_KEY.parse(Buffer.alloc(32, n).toString('hex'))!);

test.each([
  ['secrets-key', 'SECRETS_KEY'],
  ['signing-keys', 'SIGNING_KEYS'],
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
  expect(await diagnosis.find(check)).toMatchObject({ level: 'warning', advice: expect.stringContaining(setting) });
  expect(await diagnosis.find(check, { keysOf: () => mine })).toMatchObject({ level: 'ok' });
  expect(await diagnosis.find(check, { keysOf: () => another })).toMatchObject({
    level: 'fault',
    found: expect.stringContaining(key),
  });
});
