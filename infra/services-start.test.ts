import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createApiKey, createOrganization } from '@relata/auth';
import { findSuiteBundle } from '@relata/bundle';
import { buildWidget } from '@relata/chat-widget/build';
import { buildConsole } from '@relata/console-web/build';
import type { Database } from '@relata/db';
import { createTestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDashboards, shownBy } from './generate/dashboards/read-dashboards.ts';
import { declaredLabels, exposedIn, missingIn, together } from './prometheus/exposed.harness.ts';
import { type AppName, services } from './services.ts';
import { type StartedApp, startOnce } from './started-apps.harness.ts';

/** Starts each app once for all these tests, from its bundle as the image does. */
let apps: StartedApp[];
/** Folder for builds of this test. */
let folder: string;
let tool: { status: number | null; stdout: string; stderr: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relata-scripts-'));
  await using db = await createTestDatabase();
  const requests = await requestsOn(db.database);
  const startOf = async (name: AppName) => ({
    databaseUrl: db.url,
    file: await findSuiteBundle(name),
    request: requests[name],
  });
  apps = await Promise.all(services.map(async (service) => startOnce(service, await startOf(service.name))));
  const env = { PATH: process.env['PATH'], DATABASE_URL: db.ownerUrl };
  tool = spawnSync(process.execPath, [await findSuiteBundle('cli'), 'migrate', '--json'], { env, encoding: 'utf8' });
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns a request for each app. Most apps answer it from the database, the others from memory. */
async function requestsOn(db: Database): Promise<Record<AppName, { path: string; init?: RequestInit }>> {
  const { id: orgId } = await createOrganization(db, 'Acme');
  const { key } = await createApiKey(db, orgId, { name: 'all', kind: 'secret', scopes: ['records:read', 'chat'] });
  const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json' };
  const messages = [{ role: 'user', content: 'What does it cost?' }];
  return {
    'records-api': { path: '/v1/records/accounts', init: { headers } },
    'chat-gateway': { path: '/v1/genie/chat', init: { method: 'POST', headers, body: JSON.stringify({ messages }) } },
    console: { path: '/console/api/me', init: { headers: { Cookie: 'relata_session=none' } } },
    'webhook-ingest': { path: `/webhooks/trigger/${orgId}`, init: { method: 'POST', headers, body: '{}' } },
    'workflow-worker': { path: '/health/ready' },
  };
}

const responses: Record<AppName, number> = {
  'records-api': 200,
  'chat-gateway': 200,
  console: 401,
  'webhook-ingest': 404,
  'workflow-worker': 200,
};

test.each(services)('the bundle of $name answers a request', ({ name }) => {
  expect(apps.find((app) => app.name === name)!.answered).toBe(responses[name]);
});

test('the bundle of the tool migrates a database', () => {
  expect(tool).toMatchObject({ status: 0, stderr: '' });
});

test('the folder of the bundles has the licences of all bundled libraries', async () => {
  const text = await readFile(join(dirname(await findSuiteBundle('cli')), 'LICENSES.txt'), 'utf8');
  for (const name of ['express', 'pg', 'zod', 'knex', '@nats-io/jetstream']) expect(text).toMatch(licenceOf(name));
});

const licenceOf = (name: string) => new RegExp(`^=== ${name}@[\\d.]+: [\\w.-]+ ===\\n\\n\\S`, 'm');

/** Matches the build tools of the browser scripts, which are not in the scripts, and Relata's own packages. */
const others = /^(@relata\/.*|rolldown|vite)$/;

test.each<{ app: string; build: () => Promise<string>; behind: string[]; tools: string[] }>([
  {
    app: 'chat-widget',
    build: async () => dirname((await buildWidget({ outFile: join(folder, 'widget/relata-chat.js') })).file),
    behind: [],
    tools: [],
  },
  {
    app: 'console-web',
    build: async () => (await buildConsole()).folder,
    behind: ['scheduler', '@floating-ui/dom', '@tanstack/query-core', '@tanstack/router-core'],
    tools: ['marked'],
  },
])(
  'the folder of the browser scripts of $app has the licences of their libraries',
  async ({ app, build, behind, tools }) => {
    const manifest = await readFile(join(import.meta.dirname, '../apps', app, 'package.json'), 'utf8');
    const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> };
    const libraries = Object.keys(dependencies).filter((name) => !others.test(name) && !tools.includes(name));
    const text = await readFile(join(await build(), 'LICENSES.txt'), 'utf8');
    expect(libraries.length).toBeGreaterThan(1);
    for (const name of [...libraries, ...behind]) expect(text).toMatch(licenceOf(name));
  },
);

test.each(services)('$name starts with only its required settings, and stops in order', ({ name }) => {
  const { ready, probed, ended, said } = apps.find((app) => app.name === name)!;
  expect(ready).toMatchObject({ type: 'ready', url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
  expect(probed).toEqual([200, 200, 200, 200]);
  expect(ended).toEqual([0, null]);
  expect(said).toContain('"stopped"');
});

test.each(services)('without an endpoint for traces, $name does not load the SDK', ({ name }) => {
  expect(apps.find((app) => app.name === name)!.said).not.toContain('loaded ');
});

const declared = await declaredLabels();
const exposedBy = (started: readonly StartedApp[]) =>
  together(started.map(({ metrics }) => exposedIn(metrics, declared)));

test('every metric and label that the alerts name is exposed by an app', async () => {
  const text = await readFile(join(import.meta.dirname, 'prometheus/relata.rules.yml'), 'utf8');
  const expressions = [...text.matchAll(/^ {8}expr: (.+)$/gm)].map(([, expression]) => expression!);
  const all = exposedBy(apps);
  expect(expressions.length).toBeGreaterThan(10);
  expect(expressions.flatMap((expression) => missingIn(expression, all))).toEqual([]);
});

test('every metric and label of a dashboard is exposed by its app, or by any app for the overview', async () => {
  for (const dashboard of readDashboards()) {
    const own = apps.filter(({ name }) => dashboard.uid === `relata-${name}`);
    const there = exposedBy(own.length > 0 ? own : apps);
    const shown = shownBy(dashboard).map(({ expression }) => expression);
    expect(shown.length).toBeGreaterThan(20);
    expect(
      shown.flatMap((expression) => missingIn(expression, there)),
      dashboard.title,
    ).toEqual([]);
  }
});

test('every metric that docs/alerts.md lists is exposed by an app', async () => {
  const page = await readFile(join(import.meta.dirname, '../docs/alerts.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z][a-z_]+_[a-z_]+)`/gm)].map(([, name]) => name!);
  const exposed = new Set(
    apps.flatMap(({ metrics }) => [...metrics.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name)),
  );
  expect(listed.length).toBeGreaterThan(10);
  expect(listed.filter((name) => !exposed.has(name))).toEqual([]);
});

test.each(services)('$name measures the duration of its statements by name', ({ name }) => {
  const { metrics } = apps.find((app) => app.name === name)!;
  expect(metrics).toMatch(/^database_statement_duration_seconds_count\{app="[\w-]+",statement="schema.applied"\} 1$/m);
});
