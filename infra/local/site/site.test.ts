import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { allAway, exchange, serve } from '../gateway/gateway.harness.ts';
import { isForSite } from '../gateway/routes.ts';
import { type Gateway, openGateway } from '../gateway/gateway.ts';
import { paths } from '../paths.ts';
import type { StackOrganization } from '../stack/stack-file.ts';
import { createSite } from './site.ts';

let folder: string;
let gateway: Gateway;
let errors: unknown[];
let organizations: StackOrganization[] | undefined;

const acme = { id: '0197', name: 'Acme', keys: { full: 'relata_sk_full', publishable: 'relata_pk_site' } };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relata-site-'));
  organizations = [acme];
  errors = [];
  await open(folder);
});

afterEach(async () => {
  await gateway.close(0);
  await rm(folder, { recursive: true, force: true });
});

async function open(knowledgeDir: string): Promise<void> {
  const app = await serve((request, response) => response.end(`app ${request.url}`));
  const site = createSite({
    knowledgeDir,
    organizations: () => organizations,
    onError: (error) => errors.push(error),
  });
  gateway = await openGateway({ port: 0, targets: { ...allAway, 'records-api': app }, site });
}

async function get(path: string, init: RequestInit = {}) {
  const response = await fetch(gateway.url + path, { ...init, signal: AbortSignal.timeout(60_000) });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const embedded = /<relata-chat\s+api-key="([^"]*)"\s+mode="([^"]*)"/;

test.each([
  ['/demo', 'launcher'],
  ['/demo/', 'launcher'],
  ['/demo?utm=1', 'launcher'],
  ['/demo/inline', 'inline'],
  ['/demo/docs', 'launcher'],
  ['/demo/docs/', 'launcher'],
])('%s embeds the chat with only the publishable key', async (path, mode) => {
  const { status, text } = await get(path);
  expect(status).toBe(200);
  expect(embedded.exec(text)?.slice(1)).toEqual(['relata_pk_site', mode]);
  expect(text).toContain('<script src="/v1/genie/widget.js" async></script>');
  expect(text).not.toContain('relata_sk_');
});

test.each(['/demo-x', '/demos', '/demo.html', '/Demo', '/demo%2Fdocs', '/docs', '/', '/v1/demo'])(
  'a request for %s goes to an app',
  async (path) => {
    expect((await get(path)).text).toBe(`app ${path}`);
  },
);

const html = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test.each(['/', '/?utm=1'])('a browser that opens %s is redirected to the site', async (path) => {
  const response = await get(path, { headers: html, redirect: 'manual' });
  expect([response.status, response.headers.get('location'), response.text]).toEqual([302, '/demo', '']);
  expect((await get(path, { headers: html })).text).toContain('<relata-chat');
});

test('a request for the bare address that accepts no HTML, or posts, goes to an app', async () => {
  for (const Accept of ['*/*', 'application/json'])
    expect((await get('/', { headers: { Accept } })).text).toBe('app /');
  expect((await get('/', { method: 'POST', headers: html })).text).toBe('app /');
  expect((await get('/v1/self', { headers: html })).text).toBe('app /v1/self');
});

test.each(['/demo/x', '/demo/docs/x', '/demo/docs/x/', '/demo//', '/demo/__proto__', '/demo/%', '/demo/docs/%ff'])(
  '%s is answered with 404 and a page that says so',
  async (path) => {
    const { status, headers, text } = await get(path);
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(text).toContain('There is no such page');
  },
);

test('files that are not pages of the knowledge base cannot be read', async () => {
  await writeFile(join(folder, 'secret.txt'), 'secret');
  await writeFile(join(folder, 'README.md'), 'for people who work on it');
  const paths = ['secret.txt', 'README', '../home.page', '..%2f..%2fREADME', '%2e%2e/site', 'x%00'];
  for (const path of paths) {
    const response = await exchange(
      gateway.url,
      `GET /demo/docs/${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(response, path).toMatch(/^HTTP\/1\.1 404 /);
  }
  for (const path of ['site.ts', '../site.ts', '%2e%2e/site.ts', 'public/site.js'])
    expect(await exchange(gateway.url, `GET /demo/${path} HTTP/1.0\r\n\r\n`), path).toMatch(/^HTTP\/1\.1 404 /);
});

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is refused with 405 and the allowed methods', async (method) => {
  const { status, headers } = await get('/demo', { method });
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('HEAD is answered like GET, without the page', async () => {
  const [head, full] = [await get('/demo', { method: 'HEAD' }), await get('/demo')];
  expect([head.status, head.text]).toEqual([200, '']);
  expect(head.headers.get('content-length')).toBe(full.headers.get('content-length'));
});

test('a page shows its title and its rendered Markdown, and an edit is visible at once', async () => {
  await mkdir(join(folder, 'guides'));
  const file = join(folder, 'guides', 'move over.md');
  await writeFile(
    file,
    '---\r\ntitle: Moving & more\r\n---\r\n# Heading\r\n\r\n| a | b |\r\n|---|---|\r\n| 1 | 2 |\r\n',
  );
  const { text } = await get('/demo/docs/guides/move%20over');
  expect(text).toContain('<title>Moving &#38; more · Acme Flow</title>');
  expect(text).toContain('<h1 id="heading">Heading</h1>');
  expect(text).toContain('<td>2</td>');
  expect((await get('/demo/docs')).text).toContain('<a href="/demo/docs/guides/move%20over">Moving &#38; more</a>');
  await writeFile(file, '# Edited');
  expect((await get('/demo/docs/guides/move%20over')).text).toContain('<title>Edited · Acme Flow</title>');
});

test('a page that belongs to a single organization is not shown', async () => {
  const orgId = '019759d8-5b2c-7c3f-9c43-111111111111';
  await mkdir(join(folder, orgId));
  await writeFile(join(folder, orgId, 'offer.md'), '# Their offer');
  expect((await get(`/demo/docs/${orgId}/offer`)).status).toBe(404);
  expect((await get('/demo/docs')).text).not.toContain('Their offer');
});

test('HTML, scripts and pictures in a page are shown as text', async () => {
  const hostile = [
    '# <img src=x onerror=alert(1)>',
    '<script>alert(1)</script>',
    'in <b onclick="x">line</b> and [link](javascript:alert(1)) [data](data:text/html,x) [vb](VBScript:x)',
    '![picture](https://elsewhere.example/x.png)',
    '`<i>code</i>`',
    '[ok](https://example.com/?a=1&b="2") [mail](mailto:x@example.com) [page](pricing.md#plans) [up](../a.md)',
  ];
  await writeFile(join(folder, 'x.md'), hostile.join('\n\n'));
  const { text } = await get('/demo/docs/x');
  const article = text.slice(text.indexOf('<article'), text.indexOf('</article>'));
  expect(article).not.toMatch(/<(?:script|img|b|i)\b|javascript:|data:|vbscript:|elsewhere/i);
  expect(article).toContain('&#60;script&#62;');
  expect(article).toContain('href="https://example.com/?a=1&#38;b=');
  expect(article).toContain('href="mailto:x@example.com"');
  expect(article).toContain('href="pricing#plans"');
  expect(article).toContain('href="../a"');
});

test('the policy of every page allows only what the site loads itself', async () => {
  for (const path of ['/demo', '/demo/inline', '/demo/docs', '/demo/x', '/demo/base.css', '/demo/site.js']) {
    const { headers, text } = await get(path);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(text).not.toMatch(/\sstyle="|\son\w+="|<script>|<style/);
  }
});

test('every link of the site leads to an existing page or file', async () => {
  await gateway.close(0);
  await open(paths.knowledge);
  const seen = new Set(['/demo']);
  for (const path of seen) {
    const { status, text } = await get(path);
    expect(status, path).toBe(200);
    for (const [, target = ''] of text.matchAll(/(?:href|src)="([^"#]+)/g)) {
      const { origin, pathname } = new URL(target, gateway.url + path);
      if (origin === gateway.url && isForSite(pathname)) seen.add(pathname);
    }
  }
  expect(seen.size).toBeGreaterThan(15);
});

test('without a publishable key the page says how to create one', async () => {
  organizations = [];
  const { text } = await get('/demo');
  expect(text).toContain('keys create --org ID --publishable --origin');
  expect(text).not.toMatch(embedded);
  expect(text).not.toContain('data-ask');
});

test('until the demo exists, the site answers 503 like an app that is starting', async () => {
  organizations = undefined;
  const { status, headers } = await get('/demo');
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
});

test('if pages cannot be read, the answer is 500 without details, and the error is reported', async () => {
  await writeFile(join(folder, 'broken.md'), '---\n{ title: [\n---\n');
  const { status, text } = await get('/demo/docs');
  expect(status).toBe(500);
  expect(text).not.toContain(folder);
  expect(errors).toHaveLength(1);
});

test('a request with a malformed body ends only its own connection', async () => {
  const head = 'POST /demo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  for (const path of ['/demo', '/demo/docs'])
    expect(await exchange(gateway.url, `${head.replace('/demo', path)}zz\r\n`)).toMatch(/^HTTP\/1\.1 40[05] /);
  expect((await get('/demo')).status).toBe(200);
});

test('a client that sends a large body can read the refusal', async () => {
  const sent = httpRequest(`${gateway.url}/demo`, { method: 'POST', headers: { 'content-length': 5_000_000 } });
  sent.end(Buffer.alloc(5_000_000));
  const [answer] = await once(sent, 'response');
  expect(answer.statusCode).toBe(405);
  sent.destroy();
});
