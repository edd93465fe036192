import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { makeAuthority, natsUrl, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Messaging } from './messaging.ts';
import { connectElsewhere, keep, startSecureNats, token } from './tls.harness.ts';

const stack = new AsyncDisposableStack();
const authority = makeAuthority('Ours');
let [named, numbered]: Awaited<ReturnType<typeof startSecureNats>>[] = [];
beforeAll(async () => {
  named = await startSecureNats(stack, authority, 'localhost');
  numbered = await startSecureNats(stack, authority, '127.0.0.1');
});
afterAll(() => stack.disposeAsync());

/** Returns the reason for which the first attempts to connect failed. */
async function refusalOf(url: string): Promise<string> {
  await using messaging = new Messaging({ url, name: 'refused' });
  return await until(() => {
    expect(messaging.refusal).toMatch(/^(?!connection refused$)./);
    return messaging.refusal!;
  });
}

test('a process with the CA in NODE_EXTRA_CA_CERTS connects over TLS, but only to a server with the right name', async () => {
  const marker = 'a-message-that-nobody-reads';
  const urls = [
    `tls://${token}@localhost:${named!.port}`,
    `nats://${token}@localhost:${named!.port}`,
    `tls://${token}@127.0.0.1:${numbered!.port}`,
    `tls://${token}@127.0.0.1:${named!.port}`,
    `tls://${token}@localhost:${numbered!.port}`,
  ];
  const authorityFile = await keep(stack, authority.certificate);
  expect(await connectElsewhere(stack, { urls, authorityFile, marker })).toEqual([
    { isConnected: true },
    { isConnected: true },
    { isConnected: true },
    { isConnected: false, refusal: expect.stringMatching(/does not match.* 127\.0\.0\.1 is not in/) },
    {
      isConnected: false,
      refusal: expect.stringMatching(/does not match.* localhost\. is not cert's CN: 127\.0\.0\.1/),
    },
  ]);
  const version = expect.stringMatching(/^1\.[23]$/);
  expect((await named!.connections()).toSorted((a, b) => a.client.localeCompare(b.client))).toEqual([
    { client: 'client 0', version },
    { client: 'client 1', version },
  ]);
  expect(await numbered!.connections()).toEqual([{ client: 'client 2', version }]);
  for (const server of [named!, numbered!]) {
    expect(server.encrypted()).toContain(true);
    expect(server.encrypted()).not.toContain(false);
    expect(server.seen()).not.toMatch(new RegExp(`${token}|${marker}`));
  }
});

test.each(['tls', 'nats'])('a certificate of an unknown CA is refused with %s://', async (scheme) => {
  expect(await refusalOf(`${scheme}://${token}@localhost:${named!.port}`)).toMatch(/verify|self-signed/);
  expect(named!.seen()).not.toContain(token);
});

test('with tls://, nothing is sent to a server without TLS', async () => {
  const received: Buffer[] = [];
  const info = {
    server_id: 'x',
    version: '2.12.0',
    proto: 1,
    headers: true,
    max_payload: 1_048_576,
    auth_required: true,
  };
  const between = createServer((socket) => {
    socket.on('error', () => undefined).on('data', (bytes: Buffer) => received.push(bytes));
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
  }).listen(0, '127.0.0.1');
  await once(between, 'listening');
  const { port } = between.address() as AddressInfo;
  const refusal = await refusalOf(`tls://${token}@127.0.0.1:${port}`);
  between.close();
  expect(refusal).toContain("does not support 'tls'");
  expect(Buffer.concat(received).toString()).toBe('');
  expect(await refusalOf(natsUrl().replace('nats://', 'tls://'))).toContain("does not support 'tls'");
});
