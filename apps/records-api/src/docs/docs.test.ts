import { readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { apiClient, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;
const bundle = '/docs/assets/swagger-ui-bundle.js';

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

/** Returns the files that this process, in which the API runs, has open. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}

/** Requests the largest file and leaves as soon as the answer begins. */
function abortDownload(): Promise<void> {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${bundle} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return new Promise((resolve) => {
    socket.once('data', () => socket.pause().resetAndDestroy());
    socket.once('close', () => resolve());
  });
}

test.runIf(process.platform === 'linux')('aborted downloads of the documentation leave no file open', async () => {
  await Promise.all(Array.from({ length: 50 }, abortDownload));
  await until(() => expect(openFiles().filter((path) => path.includes('swagger-ui'))).toEqual([]));
});

test('the licences that the script of the documentation refers to are served beside it', async () => {
  const client = apiClient(api.url);
  const [, named] = /^\/\*! For license information please see (\S+) /.exec((await client('GET', bundle)).text) ?? [];
  const licences = await client('GET', new URL(named!, `${api.url}${bundle}`).pathname);
  expect(licences.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(licences).toMatchObject({ status: 200, text: expect.stringContaining('@license React') });
});

test('a file of the documentation is sent whole, compressed if the client accepts that', async () => {
  const client = apiClient(api.url);
  const plain = await client('GET', bundle, { headers: { 'Accept-Encoding': 'identity' } });
  const packed = await client('GET', bundle, { headers: { 'Accept-Encoding': 'gzip' } });
  expect(packed.headers.get('content-encoding')).toBe('gzip');
  expect(Number(packed.headers.get('content-length'))).toBeLessThan(plain.text.length / 2);
  expect(packed.text).toBe(plain.text);
  const part = await client('GET', bundle, { headers: { 'Accept-Encoding': 'identity', Range: 'bytes=0-1' } });
  expect([part.status, part.text.length]).toEqual([200, plain.text.length]);
  for (const { headers } of [plain, packed]) expect(headers.get('vary')).toBe('Accept-Encoding');
  expect(await client('HEAD', bundle)).toMatchObject({ status: 200, text: '' });
});
