import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { findSignatureKind, signedHeaders, SignatureSpec } from '@relata/signatures';
import { until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useCli } from '../../apps/cli/src/cli.harness.ts';
import { newSigningKeys } from '../../apps/webhook-ingest/src/signed/signed.harness.ts';
import { openReceiver, post, type Receiver } from '../../apps/webhook-ingest/src/webhook-ingest.harness.ts';
import { openWorker } from '../../apps/workflow-worker/src/workflow-worker.harness.ts';

const folder = import.meta.dirname;
const root = resolve(folder, '../..');
const sections = (await readFile(join(folder, 'README.md'), 'utf8')).split(/^## /m).slice(1);
const theirSecret = 'a-secret-of-the-sender-0123456789';
const SIGNING_KEYS = randomBytes(32).toString('base64');

const cli = useCli();
const stack = new AsyncDisposableStack();
let receiver: Receiver;
let org: string;
let secretFile: string;

beforeAll(async () => {
  org = (await createOrganization(cli.database(), 'Acme')).id;
  const own = await mkdtemp(join(tmpdir(), 'relata-flows-'));
  stack.defer(() => rm(own, { recursive: true }));
  secretFile = join(own, 'secret.txt');
  await writeFile(secretFile, theirSecret);
  const prefix = new URL(cli.url()).pathname.slice(1);
  receiver = stack.use(await openReceiver(cli.url(), { prefix, signingKeys: newSigningKeys(SIGNING_KEYS) }));
  stack.use(await openWorker(cli.url()));
});
afterAll(() => stack.disposeAsync());

/** Effects of each flow's post, which is sent twice. */
const flows: Record<string, string[]> = {
  'invoice-paid': [
    'contact jenny.rosen@example.com Jenny Rosen customer',
    'stripe: Paid invoice C9866F7D-0001: 1299.5 USD (1 contact)',
  ],
  'form-sent': [
    'contact laura@example.com Unknown (form) inbound',
    'typeform: Talk to sales: We would like a demo. (1 contact)',
  ],
  'deal-from-hubspot': ['opportunity hubspot-17613890417 Forty arms 125000.5 of Example Robotics'],
  'support-ticket': ['zendesk: Ticket 35436 (priority: high): The printer is on fire (0 contact)'],
  'product-sign-up': [
    'contact ada@robotics.example Ada Lovelace signed up',
    'product: ada@robotics.example signed up (1 contact)',
  ],
};

const left = statement<{ text: string }>(
  'test.left',
  `SELECT 'contact ' || email || ' ' || first_name || ' ' || last_name || ' ' || array_to_string(tags, ',') AS text FROM contacts WHERE org_id = $1
   UNION ALL SELECT 'opportunity ' || o.crm_id || ' ' || o.opportunity_name || ' ' || o.amount::float8 || ' of ' ||
     a.account_name
   FROM opportunities o JOIN accounts a ON a.org_id = o.org_id AND a.id = o.account_id WHERE o.org_id = $1
   UNION ALL SELECT c.source || ': ' || c.content || ' (' || (SELECT count(*) FROM custom_activity_contacts l
     WHERE l.org_id = c.org_id AND l.activity_id = c.id) || ' contact)' FROM custom_activities c WHERE c.org_id = $1`,
);

/** Tags that the flows add to people whom the organization knows before. */
const known = [
  ['ada@robotics.example', 'signed up'],
  ['jenny.rosen@example.com', 'customer'],
  ['laura@example.com', 'inbound'],
] as const;

const insertKnown = statement<never>(
  'test.insert_known',
  `INSERT INTO contacts (org_id, id, first_name, last_name, company, tags, email)
   VALUES ($1, uuidv7(), 'Known', 'Person', 'Own Company', '{vip,board}', $2)`,
);

const people = statement<{ text: string }>(
  'test.people',
  `SELECT concat_ws(' ', email, first_name, last_name, company, array_to_string(tags, ',')) AS text
   FROM contacts WHERE org_id = $1 ORDER BY email`,
);

const open = statement<{ n: number }>(
  'test.open',
  "SELECT count(*) AS n FROM workflow_runs WHERE org_id = $1 AND status NOT IN ('succeeded', 'failed')",
);

/** Splits a command of the page, and replaces the values that the reader fills in. */
function argumentsOf(command: string, triggerId = ''): string[] {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
  const given: Record<string, string> = { ORG_ID: org, TRIGGER_ID: triggerId, 'secret.txt': secretFile };
  return words.slice(1).map((word) => given[word] ?? (word.startsWith('examples/') ? join(root, word) : word));
}

async function relata(command: string, triggerId?: string) {
  const { code, stdout, stderr } = await cli.run([...argumentsOf(command, triggerId), '--json'], { SIGNING_KEYS });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as { id: string; signature: unknown; secret?: string };
}

test('the page has a section for every flow in this folder', async () => {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json') && file !== 'package.json');
  expect(files.toSorted()).toEqual(
    Object.keys(flows)
      .map((name) => `${name}.json`)
      .toSorted(),
  );
  expect(sections).toHaveLength(files.length);
});

/** Runs the commands of a flow's section, and sends the sender's post twice. */
async function sendTwice(name: string): Promise<string[]> {
  const section = sections.find((text) => text.includes(`${name}.json`))!;
  const [apply, create, assign] = section.match(/^relata .*$/gm)!;
  await relata(apply!);
  const trigger = await relata(create!);
  await relata(assign!, trigger.id);
  const body = await readFile(join(folder, 'posts', `${name}.json`));
  const url = `${receiver.url}/webhooks/trigger/${trigger.id}`;
  const signing = { secret: trigger.secret ?? theirSecret, body, url, id: 'msg_1', nowMs: Date.now() };
  const headers = signedHeaders(findSignatureKind(SignatureSpec.parse(trigger.signature)), signing);
  for (const _ of [1, 2])
    expect((await post(receiver.url, trigger.id, { body: new Uint8Array(body), headers })).status).toBe(202);
  await until(async () => expect((await cli.database().query(open, [org]))[0]!.n).toBe(0));
  return (await cli.database().query(left, [org])).map(({ text }) => text);
}

test.for(Object.entries(flows))("%s: its commands and its sender's post have the documented effect", async (flow) => {
  const [name, expected] = flow;
  const rows = await sendTwice(name);
  const own = rows.filter((text) => expected.some((line) => text.startsWith(line.split(' ', 2).join(' '))));
  expect(own.toSorted(), JSON.stringify(rows)).toEqual(expected.toSorted());
});

test('a known person keeps name, company and tags in every flow, and gets its tag (S.18)', async () => {
  const database = cli.database();
  org = (await createOrganization(database, 'Knowing')).id;
  for (const [email] of known) await database.query(insertKnown, [org, email]);
  for (const name of Object.keys(flows)) await sendTwice(name);
  const found = await database.query(people, [org]);
  expect(found.map(({ text }) => text)).toEqual(
    known.map(([email, tag]) => `${email} Known Person Own Company vip,board,${tag}`),
  );
});

test('posts of HubSpot subscriptions, which are arrays of events, are refused like any array', async () => {
  const trigger = await relata(
    'relata triggers create --org ORG_ID --name App --signature hubspot --secret-file secret.txt',
  );
  const body = Buffer.from('[{"eventId":1,"subscriptionType":"deal.creation","objectId":17613890417}]');
  const url = `${receiver.url}/webhooks/trigger/${trigger.id}`;
  const signing = { secret: theirSecret, body, url, id: '', nowMs: Date.now() };
  const headers = signedHeaders(findSignatureKind({ kind: 'hubspot' }), signing);
  const { status } = await post(receiver.url, trigger.id, { body: new Uint8Array(body), headers });
  expect(status).toBe(400);
});
