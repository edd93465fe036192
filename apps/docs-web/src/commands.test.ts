import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { recordsOperations } from '@relata/schemas';
import { type ExampleIds, freshPath, insertExamples, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setUpCli } from '../../cli/src/cli.harness.ts';
import { openReceiver } from '../../webhook-ingest/src/webhook-ingest.harness.ts';
import { openWorker } from '../../workflow-worker/src/workflow-worker.harness.ts';
import { readPages } from './pages.ts';

const root = join(import.meta.dirname, '../../..');
const readme = { path: 'README.md', markdown: await readFile(join(root, 'README.md'), 'utf8') };
const pages = [readme, ...(await readPages(root))].filter(({ path }) => !/^\/docs\/(decisions|changelog)/.test(path));

interface Command {
  path: string;
  text: string;
}

const programs = /^(?:relata|npm|npx|node|curl|docker|kubectl|pg_\w+|psql|createdb|infra\/\S+|[A-Z]+=\S+ (?=pg_))/;

/** Returns the commands in the code blocks of a page. Leaves out remarks after a command, and `npx` before the tool. */
function commandsOf({ path, markdown }: { path: string; markdown: string }): Command[] {
  const fenced = [...markdown.matchAll(/^ *```(\w*)\n([^]*?)^ *```/gm)];
  const blocks = fenced.flatMap(([, language, block]) => (/^(?:sh)?$/.test(language!) ? [block!] : []));
  const lines = blocks.flatMap((block) => block.replaceAll(/\\\n\s*/g, '').split('\n'));
  const parts = lines.flatMap((line) => line.trim().split(/ {3,}/));
  return parts
    .filter((text) => programs.test(text))
    .map((text) => ({ path, text: text.replace(/ +# .*$/, '').replace(/^npx (?=relata )/, '') }));
}

const commands = pages.flatMap(commandsOf);

/** Commands of a page that a test outside this file runs, each with the path of that test. */
const runBy: readonly [path: RegExp, command: RegExp, test: string][] = [
  [/^README\.md$/, /^npm start$|^curl /, 'infra/local/start.test.ts'],
  [/^\/docs\/api$/, /^curl .*\$RELATA/, 'apps/records-api/src/docs/api-examples.test.ts'],
  [/^\/docs\/api$/, /^curl .*accounts\?limit=3/, 'infra/local/start.test.ts'],
  [/^\/docs\/api$/, /^npm install openapi|^npx openapi/, 'infra/clients/clients.test.ts'],
  [/^\/docs\/lists$/, /^curl /, 'apps/records-api/src/docs/lists-examples.test.ts'],
  [/^\/docs\/pipelines$/, /^curl /, 'apps/records-api/src/docs/pipelines-guide.test.ts'],
  [/^\/docs\/forget-a-person$/, /^curl |^relata /, 'apps/docs-web/src/forget-a-person.test.ts'],
  [/^\/docs\/delete-restore-merge$/, /^curl /, 'apps/records-api/src/docs/delete-guide.test.ts'],
  [/^\/docs\/webhooks$/, /^curl /, 'apps/webhook-ingest/src/webhooks-docs.test.ts'],
  [/^\/docs\/senders\/./, /^relata /, 'examples/senders/senders.test.ts'],
  [/^\/docs\/operations$/, /pg_basebackup|pg_verifybackup|createdb|pg_dump|pg_restore/, 'infra/backup/backup.test.ts'],
  [/^\/docs\/operations$/, /^relata (?:backup|restore) /, 'infra/backup/commands.test.ts'],
];

/** Commands that no test runs, each with the reason. */
const notRun: readonly [command: RegExp, reason: string][] = [
  [/^docker |^infra\/images\/pin\.sh/, 'needs a Docker engine: npm run images runs them'],
  [/^kubectl /, 'needs a cluster; infra/kubernetes/page.test.ts checks their names'],
  [/^curl -s https:\/\/crm\.example\.com\/v1\/genie\/answer-vote/, 'names an answer that the page has shown'],
  [
    /^relata triggers create --org ORG_ID --name NAME --signature KIND$/,
    'a pattern; the pages of senders have each kind',
  ],
  [/^relata secrets set CRM_TOKEN --org ORG_ID$/, 'asks for the value'],
  [/^relata notify test /, 'posts to the channel of a team; apps/cli tests it with a channel of its own'],
];

const isRunElsewhere = ({ path, text }: Command) => runBy.some(([where, what]) => where.test(path) && what.test(text));
const isExcused = ({ text }: Command) => notRun.some(([what]) => what.test(text));
const isOurs = (command: Command) =>
  command.text.startsWith('relata ') && !isRunElsewhere(command) && !isExcused(command);

test('every command of every guide is run by a test, or `notRun` has the reason (found C3)', () => {
  expect(commands.length).toBeGreaterThan(80);
  expect(commands.filter((command) => !isOurs(command) && !isRunElsewhere(command) && !isExcused(command))).toEqual([]);
});

test('every entry of `runBy` and `notRun` matches a command', async () => {
  for (const [path, what, file] of runBy) {
    expect((await readFile(join(root, file), 'utf8')).length).toBeGreaterThan(0);
    expect(commands.filter((command) => path.test(command.path) && what.test(command.text))).not.toEqual([]);
  }
  const unused = notRun.filter(([what]) => !commands.some(({ text }) => what.test(text)));
  expect(unused).toEqual([]);
});

const cli = setUpCli();
const keys = Object.fromEntries(
  ['SECRETS_KEY', 'SIGNING_KEYS', 'NOTIFY_KEYS'].map((name) => [name, randomBytes(32).toString('base64')]),
);
const failRuns = statement(
  'test.fail',
  `UPDATE workflow_runs SET status = 'failed' WHERE org_id = $1 AND status = 'succeeded'`,
);
const stack = new AsyncDisposableStack();
/** Replacements in the commands: values for placeholders such as `ORG_ID`, and paths for file names. */
const given: Record<string, string> = { 'examples/inbound-lead.json': join(root, 'examples/inbound-lead.json') };
let PUBLIC_URL: string;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'relata-commands-'));
  stack.defer(() => rm(folder, { recursive: true }));
  for (const [name, text] of [
    ['token.txt', 'a-token'],
    ['url.txt', 'https://hooks.slack.com/services/T0/B0/x'],
  ] as const)
    await writeFile((given[name] = join(folder, name)), `${text}\n`);
  PUBLIC_URL = stack.use(await openReceiver(cli.url(), { prefix: new URL(cli.url()).pathname.slice(1) })).url;
  stack.use(await openWorker(cli.url()));
  given['ORG_ID'] = given['ORG'] = (await createOrganization(cli.database(), 'Guides')).id;
  const ids = await insertExamples(cli.database(), given['ORG_ID']);
  Object.assign(given, { ACCOUNT_ID: ids.account, WINNER_ID: ids.contact });
  for (const name of ['LOSER_ID', 'DUPLICATE_ID']) given[name] = await insertContact(ids);
});
afterAll(() => stack.disposeAsync());

async function insertContact(ids: ExampleIds): Promise<string> {
  const path = await freshPath(cli.database(), given['ORG_ID']!, recordsOperations.deleteContact, ids);
  return path.split('/').at(-1)!;
}

/** Splits a command into words as a shell would, as far as the guides need it. */
const wordsOf = (text: string) =>
  [...text.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));

async function run(text: string) {
  const args = wordsOf(text)
    .slice(1)
    .map((word) => given[word] ?? word.replace('{…}', '{"user":{"email":"ada@acme.example"}}'));
  // Commands without --org use the organization of RELATA_ORG. Building indexes requires the owner of the tables.
  const env = { ...keys, PUBLIC_URL, RELATA_ORG: given['ORG_ID']!, DATABASE_MIGRATION_URL: cli.ownerUrl() };
  const { code, stdout, stderr } = await cli.run([...args, '--json'], env);
  expect(code, `${text}: ${stderr}`).toBe(0);
  return stdout;
}

/**
 * Guides whose commands are run, in this order. Later commands of a page use objects that its earlier commands have
 * created.
 */
const followed = [
  '/docs/lists',
  '/docs/workflows',
  '/docs/webhooks',
  '/docs/chat',
  '/docs/api',
  '/docs/pipelines',
  '/docs/delete-restore-merge',
];

test('the `relata` commands in the guides succeed, page by page and in order (found C3)', async () => {
  const ours = commands.filter(isOurs);
  expect([...new Set(ours.map(({ path }) => path))].toSorted()).toEqual(followed.toSorted());
  for (const { text } of followed.flatMap((page) => ours.filter(({ path }) => path === page))) {
    if (/RUN_ID|DELIVERY_ID/.test(text)) await findRun();
    const printed = await run(text);
    if (text.startsWith('relata triggers create')) {
      const { id, secret } = JSON.parse(printed) as { id: string; secret: string };
      Object.assign(given, { TRIGGER_ID: id, SECRET: secret });
    }
    if (text.startsWith('relata keys create')) given['KEY_ID'] = (JSON.parse(printed) as { id: string }).id;
  }
});

/** Waits for a run of the posted sample, and marks it as failed. */
async function findRun(): Promise<void> {
  await until(async () => {
    await cli.database().query(failRuns, [given['ORG_ID']!]);
    const [found] = JSON.parse(await run('relata runs list --status failed')) as { id: string; delivery_id: string }[];
    expect(found).toBeDefined();
    Object.assign(given, { RUN_ID: found!.id, DELIVERY_ID: found!.delivery_id });
  });
}

test('every npm script that a page names exists (found C3)', async () => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: object };
  const named = pages.flatMap(({ markdown }) =>
    [...markdown.matchAll(/\bnpm run ([a-z:]+)/g)].map(([, name]) => name!),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});
