import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startNats } from '@relata/embedded';
import { natsUrl, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { keyChanged } from './broadcast.ts';
import { Messaging } from './messaging.ts';

const binDir = join(import.meta.dirname, '../../../.local/bin');

test('what one process tells all others hear, and it does not hear itself', async () => {
  await using stack = new AsyncDisposableStack();
  const [teller, hearer] = ['teller', 'hearer'].map((name) => stack.use(new Messaging({ url: natsUrl(), name })));
  await Promise.all([teller!.connected(2_000), hearer!.connected(2_000)]);
  const [own, others]: string[][] = [[], []];
  teller!.listen(keyChanged, ({ hash }) => own!.push(hash));
  hearer!.listen(keyChanged, ({ hash }) => others!.push(hash));
  await until(() => {
    teller!.tell(keyChanged, { hash: 'changed' });
    expect(others).toContain('changed');
  });
  expect(own).toEqual([]);
});

test('a server that starts late, or goes and comes back, is found without a restart', { timeout: 60_000 }, async () => {
  await using stack = new AsyncDisposableStack();
  const storeDir = await mkdtemp(join(tmpdir(), 'relata-nats-'));
  stack.defer(() => rm(storeDir, { recursive: true, force: true }));
  const port = await freePort();
  const url = `nats://127.0.0.1:${port}`;
  const messaging = stack.use(new Messaging({ url, name: 'early' }));
  let returns = 0;
  messaging.onReconnect(() => returns++);
  expect(await messaging.connected(200)).toBe(false);
  messaging.tell(keyChanged, { hash: 'nobody hears this, and nothing breaks' });

  const first = await startNats({ storeDir, binDir, port });
  await until(() => expect(messaging.isConnected).toBe(true), 10_000);
  await first.stop();
  await until(() => expect(messaging.isConnected).toBe(false));
  const second = await startNats({ storeDir, binDir, port });
  stack.defer(() => second.stop());
  await until(() => expect(messaging.isConnected).toBe(true), 10_000);
  expect(returns).toBe(1);
});

test('one who leaves before NATS was ever there leaves at once', async () => {
  const messaging = new Messaging({ url: 'nats://127.0.0.1:1', name: 'leaver' });
  const began = Date.now();
  await messaging[Symbol.asyncDispose]();
  expect(Date.now() - began).toBeLessThan(4_000);
});
