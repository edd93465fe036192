import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createApiKey, createOrganization } from '@relata/auth';
import { findSuiteBundle } from '@relata/bundle';
import { statement } from '@relata/db';
import { createTestDatabase, natsUrl, startModelServer } from '@relata/testing';
import { expect, test } from 'vitest';
import { asking, streamedParts } from './chat-gateway.harness.ts';

const usage = statement<{ tokens: string }>('', 'SELECT tokens FROM chat_usage WHERE org_id = $1');

test('SIGTERM ends an open answer with an error text, and then the process with exit code 0', async () => {
  await using db = await createTestDatabase();
  await using model = await startModelServer({ steps: [{ say: 'It ' }, { pause: Infinity }] });
  const { id } = await createOrganization(db.database, 'Acme');
  const { key } = await createApiKey(db.database, id, { name: 'chat', kind: 'secret', scopes: ['chat'] });
  const child = fork(await findSuiteBundle('chat-gateway'), {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: db.url,
      NATS_URL: natsUrl(),
      NATS_PREFIX: 'stop-test',
      PORT: '0',
      METRICS_PORT: '0',
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: model.url,
      STOP_TIMEOUT_MS: '120000',
      STOP_DRAIN_MS: '1',
    },
  });
  let log = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (log += text));
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  const answer = await fetch(`${url}/v1/genie/chat`, {
    method: 'POST',
    headers: { 'X-Api-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify(asking('Hello')),
  });
  child.kill('SIGTERM');
  const ended = once(child, 'close');
  expect(streamedParts(await answer.text()).map(({ type }) => type)).toContain('error');
  expect((await ended)[0]).toBe(0);
  expect(log).toContain('"stopped"');
  const [used] = await db.database.query(usage, [id]);
  // The tokens that were reserved but not used were released.
  expect(Number(used!.tokens)).toBeLessThan(2_000);
});
