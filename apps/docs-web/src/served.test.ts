import { readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { glob, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBuiltFiles } from '@relata/http';
import { ErrorBody, errors, errorsPath } from '@relata/schemas/errors';
import { apiClient, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../records-api/src/records-api.harness.ts';
import { builtDocs, startTestDocs } from './docs.harness.ts';

const largest = '/docs/search.json';
let api: TestApi;
let client: ReturnType<typeof apiClient>;
/** Paths of all pages. */
let paths: string[];

beforeAll(async () => {
  api = await startTestDocs();
  client = apiClient(api.url);
  const files = await Array.fromAsync(glob('docs{,/**/*}.html', { cwd: await builtDocs() }));
  paths = files.map((file) => `/${file.replace(/\.html$/, '')}`).toSorted();
});
afterAll(() => api[Symbol.asyncDispose]());

const read = async (path: string) => (await client('GET', path)).text;
const unescaped = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

test('every guide, the reference and the errors are served (found C3)', () => {
  const guides = [
    '',
    '/api',
    '/lists',
    '/guarantees',
    '/webhooks',
    '/senders',
    '/senders/stripe',
    '/workflows',
    '/chat',
    '/console',
  ];
  const operating = [
    '/configuration',
    '/operations',
    '/scaling',
    '/alerts',
    '/reliability',
    '/deprecations',
    '/changelog',
  ];
  const reference = ['/reference', '/reference/accounts', '/errors'];
  const wanted = [...guides, ...operating, ...reference].map((name) => `/docs${name}`);
  expect(wanted.filter((path) => !paths.includes(path))).toEqual([]);
});

test('every link of every page leads to a served file and an existing heading (found C3)', async () => {
  const pages = new Map(await Promise.all(paths.map(async (path) => [path, await read(path)] as const)));
  const anchorsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!));
  const anchors = new Map([...pages].map(([path, html]) => [path, anchorsOf(html)]));
  const statuses = new Map<string, number>();
  const broken: string[] = [];
  let count = 0;
  for (const [path, html] of pages)
    for (const [, href] of html.matchAll(/ (?:href|src)="([^"]+)"/g)) {
      if (/^(?:https?|mailto|data):/.test(href!)) continue;
      count++;
      const [target = '', anchor] = unescaped(href!).split('#');
      const to = target === '' ? path : target;
      if (!statuses.has(to)) statuses.set(to, (await client('GET', to)).status);
      const isThere = statuses.get(to) === 200 && (anchor === undefined || anchors.get(to)?.has(anchor));
      if (!isThere) broken.push(`${path}: ${href}`);
    }
  expect(count).toBeGreaterThan(1_000);
  expect(broken).toEqual([]);
});

test('every link in the Markdown of a page leads to a served file (found C3)', async () => {
  const broken: string[] = [];
  const statuses = new Map<string, number>();
  for (const path of paths) {
    const { text, status, headers } = await client('GET', `${path}.md`);
    expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/markdown; charset=utf-8']);
    expect(text.replaceAll(/^```[^]*?^```/gm, '')).not.toContain('<!--');
    for (const [, href] of text.replaceAll(/^```[^]*?^```/gm, '').matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(?:https?:|mailto:|#)/.test(href!)) continue;
      const [target = ''] = href!.split('#');
      if (!target.startsWith('/')) broken.push(`${path}: ${href}`);
      else if (!statuses.has(target)) statuses.set(target, (await client('GET', target)).status);
    }
  }
  expect([...statuses].filter(([, status]) => status !== 200)).toEqual([]);
  expect(broken).toEqual([]);
});

test('llms.txt lists each page of the navigation once, as Markdown and with its summary (found C3)', async () => {
  const { text, headers } = await client('GET', '/llms.txt');
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(text).toMatch(/^# Relata\n\n> .+\n/);
  const lines = text.split('\n').filter((line) => line.startsWith('- '));
  const links = lines.map((line) => /^- \[[^\]]+\]\((\/docs\/\S+\.md)\): .{15,}$/.exec(line)?.[1] ?? line);
  const listed = paths.filter((path) => path !== '/docs' && !path.startsWith('/docs/decisions/'));
  expect(links.toSorted()).toEqual(listed.map((path) => `${path}.md`).toSorted());
});

test('a summary in llms.txt describes its page instead of quoting it', async () => {
  const lines = (await read('/llms.txt')).matchAll(/^- \[[^\]]+\]\((\/docs\/\S+\.md)\): (.*)$/gm);
  const quoting: string[] = [];
  for (const [, path, summary] of lines) {
    const text = (await read(path!)).replaceAll(/[`*]|\[|\]\([^)]*\)/g, '').replaceAll(/\s+/g, ' ');
    if (text.includes(summary!.replaceAll('`', ''))) quoting.push(path!);
  }
  expect(quoting).toEqual([]);
});

test('the page of errors has each error under its code, with an example that links to it', async () => {
  const page = await read(errorsPath);
  const sections = Object.keys(errors).map((code) => page.split(`<h2 id="${code}">`)[1]?.split('<h2')[0]);
  expect(sections).not.toContain(undefined);
  const shown = sections.map((section) => {
    expect(section).toMatch(/<strong>What to do<\/strong>: ./);
    const [, example = ''] = /<pre[^>]*><code>([^]*?)<\/code><\/pre>/.exec(section!) ?? [];
    return ErrorBody.parse(JSON.parse(unescaped(example)));
  });
  expect(Object.fromEntries(shown.map(({ error, doc_url }) => [error, doc_url]))).toEqual(
    Object.fromEntries(Object.keys(errors).map((code) => [code, `${errorsPath}#${code}`])),
  );
});

test('the policy of pages forbids inline code and other hosts, and browsers revalidate every page', async () => {
  for (const path of ['/docs', errorsPath, '/docs/reference/accounts']) {
    const { text, headers } = await client('GET', path);
    expect(text).not.toMatch(/<script>|<style|style="|src="https?:| on\w+="/);
    expect(headers.get('content-security-policy')).toContain("script-src 'self'; style-src 'self'; ");
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('cache-control')).toBe('no-cache');
    const again = await client('GET', path, {
      headers: { 'If-None-Match': headers.get('etag')!, 'Cache-Control': 'max-age=0' },
    });
    expect(again.status).toBe(304);
  }
});

test('an unknown page is 404, another method is 405, and without a build the response names the build command', async () => {
  const unknown = ['/docs/none', '/docs/..%2fpackage.json', '/docs/assets/', '/docsx', '/llms.txtx', '/404'];
  const almost = ['/docs/', '/docs/api/', '/docs/api.html', '/docs.html', '/docs/api.md/'];
  for (const path of [...unknown, ...almost])
    for (const method of ['GET', 'POST']) {
      const { status, error } = await client(method, path);
      expect([path, method, status, error.error]).toEqual([path, method, 404, 'not_found']);
    }
  const refused = await client('POST', '/docs/api');
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  await using unbuilt = await startTestApi();
  const response = await apiClient(unbuilt.url)('GET', '/docs/api');
  expect(response).toMatchObject({ status: 503, text: expect.stringContaining('node apps/docs-web/build.ts') });
});

test('a browser that asks for an unknown page gets 404 with a page that has the search', async () => {
  const accept = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const { status, text, headers } = await client('GET', '/docs/non', { headers: accept });
  expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(headers.get('x-request-id')).toBeTruthy();
  expect(headers.get('vary')).toBe('Accept, Accept-Encoding');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(text).toMatch(/<h1>Page not found<\/h1>[^]*<a href="\/docs">all pages<\/a>/);
  expect(text).toContain('<input id="search"');
});

test('a page that a newer build has removed is not found', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'relata-docs-'));
  await mkdir(join(folder, 'docs'));
  await writeFile(join(folder, 'docs/removed.html'), '<p>before</p>');
  await using rebuilt = await startTestApi({ docs: await findBuiltFiles(folder) });
  await rm(folder, { recursive: true });
  expect((await apiClient(rebuilt.url)('GET', '/docs/removed')).status).toBe(404);
});

test('a file is sent whole, compressed if the client accepts that', async () => {
  const plain = await client('GET', largest, { headers: { 'Accept-Encoding': 'identity' } });
  const packed = await client('GET', largest, { headers: { 'Accept-Encoding': 'gzip, br' } });
  expect(packed.headers.get('content-encoding')).toBe('br');
  expect(Number(packed.headers.get('content-length'))).toBeLessThan(plain.text.length / 4);
  expect(packed.text).toBe(plain.text);
  const part = await client('GET', largest, { headers: { 'Accept-Encoding': 'identity', Range: 'bytes=0-1' } });
  expect([part.status, part.text.length]).toEqual([200, plain.text.length]);
  for (const { headers } of [plain, packed]) expect(headers.get('vary')).toBe('Accept-Encoding');
  expect(await client('HEAD', largest)).toMatchObject({ status: 200, text: '' });
});

test('a generated page does not tell its readers that it is generated', async () => {
  expect(await read('/docs/senders/standard-webhooks')).not.toContain('npm run generate');
});

test('the licences of libraries in the script are served beside it', async () => {
  expect(await read('/docs/assets/LICENSES.txt')).toContain('=== minisearch@');
});

/** Returns the paths of all files that this process, which also runs the API, has open. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}

/** Requests the largest file and disconnects as soon as the response begins. */
function abortDownload(): Promise<void> {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${largest} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return new Promise((resolve) => {
    socket.once('data', () => socket.pause().resetAndDestroy());
    socket.once('close', () => resolve());
  });
}

test('aborted downloads leave no file open, and share one copy of the bytes', async (context) => {
  context.skip(process.platform !== 'linux', 'needs Linux');
  await read(largest);
  const { arrayBuffers } = process.memoryUsage();
  await Promise.all(Array.from({ length: 50 }, abortDownload));
  await until(() => expect(openFiles().filter((path) => path.includes('docs-web'))).toEqual([]));
  expect(process.memoryUsage().arrayBuffers - arrayBuffers).toBeLessThan(8 * 1_048_576);
});
