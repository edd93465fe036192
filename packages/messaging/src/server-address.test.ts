import { expect, test } from 'vitest';
import { readAddresses } from './server-address.ts';

test.each([
  ['nats://127.0.0.1:4222', ['nats://127.0.0.1:4222'], {}],
  ['127.0.0.1', ['127.0.0.1'], {}],
  ['nats://token@nats:4222', ['nats://nats:4222'], { token: 'token' }],
  ['nats://operator:p%40ss:word@nats', ['nats://nats'], { user: 'operator', pass: 'p@ss:word' }],
  ['nats://100%@nats', ['nats://nats'], { token: '100%' }],
  ['tls://t@[::1]:4222, tls://t@b:1', ['tls://[::1]:4222', 'tls://b:1'], { token: 't' }],
  ['nats://a:1,nats://t@b:1', ['nats://a:1', 'nats://b:1'], { token: 't' }],
])('the address %s is split into servers and credentials', (url, servers, credentials) =>
  expect(readAddresses(url)).toMatchObject({ servers, credentials }),
);

test.each([
  ['nats://a', ['a'], false],
  ['10.0.0.1:4222', ['10.0.0.1'], false],
  ['TLS://t@a:4222', ['a'], true],
  ['nats://a:1,tls://[fd00::1]:4222', ['a', 'fd00::1'], true],
])('%s has the hosts %j, and requires TLS: %s', (url, hosts, insistsOnTls) =>
  expect(readAddresses(url)).toMatchObject({ hosts, insistsOnTls }),
);
