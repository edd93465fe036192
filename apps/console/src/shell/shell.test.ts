import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { createLog } from '@relata/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestConsole, type TestConsole } from '../console.harness.ts';
import { readBundle } from './bundle.ts';

const log = createLog({ name: 'test', level: 'silent' });
const script = 'console.log(1);'.repeat(100);
let dir: string;
let served: TestConsole;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'relata-bundle-'));
  await mkdir(join(dir, 'assets'));
  await writeFile(join(dir, 'index.html'), '<!doctype html><title>shell</title>');
  await writeFile(join(dir, 'LICENSES.txt'), '=== react ===');
  await writeFile(join(dir, 'assets/main-a1b2.js'), script);
  await writeFile(join(dir, 'assets/main-a1b2.js.br'), brotliCompressSync(script));
  served = await startTestConsole({ bundle: await readBundle(log, dir) });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(served.url + path, { headers });

test.each(['/console', '/console/', '/console/o/019a/triggers/x?q=1', '/console/index.html', '/console/apis'])(
  '%s is the shell, which browsers must revalidate',
  async (path) => {
    const response = await get(path);
    expect(await response.text()).toContain('<title>shell</title>');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    // Sets `Cache-Control`, because fetch would otherwise send `no-cache` with a conditional request.
    const again = await get(path, { 'If-None-Match': response.headers.get('etag')!, 'Cache-Control': 'max-age=0' });
    expect(again.status).toBe(304);
  },
);

test.each([
  ['br, gzip', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['gzip', 'gzip'],
  ['identity', null],
])('a hashed file is cached forever, and sent as %s', async (accepted, encoding) => {
  const response = await get('/console/assets/main-a1b2.js', { 'Accept-Encoding': accepted });
  expect(await response.text()).toBe(script);
  expect(response.headers.get('content-encoding')).toBe(encoding);
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(response.headers.get('vary')).toBe('Accept-Encoding');
});

test('the licences of the libraries in the pages are sent as text', async () => {
  const response = await get('/console/LICENSES.txt');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(await response.text()).toBe('=== react ===');
});

test.each(['/console/assets/gone.js', '/console/api/nonsense', '/consolex', '/console/assets/..%2f..%2fpackage.json'])(
  '%s is not found instead of being answered with the shell',
  async (path) => {
    const response = await get(path);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: 'not_found' });
  },
);

test.each(['/console', '/console/assets/main-a1b2.js', '/console/api/nonsense', '/health/live'])(
  '%s has headers that keep out other pages and scripts',
  async (path) => {
    const { headers } = await get(path);
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'; require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  },
);

test('the former addresses of the documentation redirect to the public address, or to this host without one', async () => {
  const locationAt = async (url: string, page = 'workflows') => {
    const { status, headers } = await fetch(`${url}/console/docs/${page}.html`, { redirect: 'manual' });
    return [status, headers.get('location')];
  };
  await using elsewhere = await served.startReplica({ publicUrl: 'https://api.example.com/' });
  expect(await locationAt(elsewhere.url)).toEqual([307, 'https://api.example.com/docs/workflows']);
  expect(await locationAt(served.url)).toEqual([307, `${served.url}/docs/workflows`]);
  expect(await locationAt(served.url, 'senders/stripe')).toEqual([307, `${served.url}/docs/senders/stripe`]);
});

test('the shell can only be read', async () => {
  const response = await fetch(`${served.url}/console/o/1`, { method: 'POST' });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('GET, HEAD');
});

test('without a build, the page says how to build it', async () => {
  await using bare = await served.startReplica({ bundle: await readBundle(log, join(dir, 'nothing')) });
  const response = await fetch(`${bare.url}/console/`);
  expect(response.status).toBe(503);
  expect(await response.text()).toContain('node apps/console-web/build.ts');
});
