import { type Messaging, runsReady } from '@relata/messaging';
import { natsUrl, startOwnNats, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { makeQueue, setUpDiagnosis } from '../diagnosis.harness.ts';

const diagnosis = setUpDiagnosis();

/** Starts a NATS server, and connects to it. Clients without credentials get an account with these JetStream limits. */
async function openLimited(jetStream: string): Promise<Messaging> {
  const account = `{ users: [{ user: relata, password: relata }], jetstream: ${jetStream} }`;
  const config = `accounts { RELATA: ${account} }\nno_auth_user: relata\n`;
  return diagnosis.openMessaging((await startOwnNats(diagnosis.stack(), { config })).url);
}

const run = (n: number): [string, string] => [
  '00000000-0000-4000-8000-000000000000',
  `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
];

test('a server that refuses the connection is a fault, with the reason of the last attempt', async () => {
  const refusal = 'unable to verify the first certificate';
  const messaging = { connected: () => Promise.resolve(false), refusal } as unknown as Messaging;
  expect(await diagnosis.find('nats', { messaging })).toMatchObject({
    level: 'fault',
    found: `NATS cannot be reached, or refused the token: ${refusal}.`,
  });
});

test('an account without JetStream is a fault', async () => {
  expect(await diagnosis.find('jetstream', { messaging: await openLimited('disabled') })).toMatchObject({
    level: 'fault',
    advice: expect.stringContaining('JetStream'),
  });
});

test('storage that is nearly used up is a warning', async () => {
  const messaging = await openLimited('{ max_file: 65536, max_mem: 0 }');
  await makeQueue(messaging);
  expect(await diagnosis.find('jetstream', { messaging })).toMatchObject({ level: 'ok' });
  for (let n = 0; n < 200; n++) messaging.enqueue(runsReady, { runs: Array.from({ length: 16 }, (_, i) => run(i)) });
  await until(async () =>
    expect(await diagnosis.find('jetstream', { messaging })).toMatchObject({
      level: 'warning',
      found: expect.stringContaining('of 0.1 MB'),
    }),
  );
});

test('a missing queue is a warning', async () => {
  expect(await diagnosis.find('queue')).toMatchObject({ level: 'warning', found: expect.stringContaining('missing') });
});

test('a stream whose number of copies differs from the setting is a warning that names the difference', async () => {
  await makeQueue(diagnosis.openMessaging(natsUrl()));
  expect(await diagnosis.find('queue')).toMatchObject({ level: 'ok' });
  const messaging = diagnosis.openMessaging(natsUrl(), { streamReplicas: 3 });
  expect(await diagnosis.find('queue', { messaging })).toMatchObject({
    level: 'warning',
    found: expect.stringContaining('stream num_replicas'),
  });
});

test('messages that no worker takes are a warning', async () => {
  const messaging = diagnosis.openMessaging(natsUrl());
  await makeQueue(messaging);
  for (let n = 0; n < 10_100; n++) messaging.enqueue(runsReady, { runs: [run(n)] });
  await until(async () =>
    expect(await diagnosis.find('queue', { messaging })).toMatchObject({
      level: 'warning',
      advice: 'Start more workers.',
    }),
  );
});
