import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import {
  describeKind,
  findSignatureKind,
  type Sample,
  type SignatureKindName,
  signatureKinds,
  SignatureSpec,
  signPost,
} from '@relata/signatures';
import { until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useCli } from '../../apps/cli/src/cli.harness.ts';
import { newSigningKeys } from '../../apps/webhook-ingest/src/signed/signed.harness.ts';
import { openReceiver, type Receiver } from '../../apps/webhook-ingest/src/webhook-ingest.harness.ts';
import { openWorker } from '../../apps/workflow-worker/src/workflow-worker.harness.ts';
import { recipes } from './recipes.ts';

const root = resolve(import.meta.dirname, '../..');
const theirSecret = 'a-secret-of-the-sender-0123456789';
const SIGNING_KEYS = randomBytes(32).toString('base64');

const cli = useCli();
const stack = new AsyncDisposableStack();
let receiver: Receiver;
let secretFile: string;

beforeAll(async () => {
  const own = await mkdtemp(join(tmpdir(), 'relata-senders-'));
  stack.defer(() => rm(own, { recursive: true }));
  secretFile = join(own, 'secret.txt');
  await writeFile(secretFile, theirSecret);
  const prefix = new URL(cli.url()).pathname.slice(1);
  receiver = stack.use(await openReceiver(cli.url(), { prefix, signingKeys: newSigningKeys(SIGNING_KEYS) }));
  stack.use(await openWorker(cli.url()));
});
afterAll(() => stack.disposeAsync());

const form = [
  'contact Ada Lovelace, Example Robotics, inbound',
  'ada@example.com sent a form: We would like a demo. *',
];

/** Records that each recipe leaves of the sample of its kind; `*` stands for a link to the contact. */
const left: Record<SignatureKindName, string[]> = {
  github: ['ada opened acme/website#1: The sign-in page is blank https://github.com/acme/website/issues/1'],
  stripe: ['contact Ada Lovelace, customer, +442079460000', 'Paid 49 USD *'],
  shopify: ['contact Ada Lovelace, Example Robotics, customer', 'Order #1001: 403.00 USD *'],
  slack: ['U0001 in C0001: Hello'],
  hubspot: ['opportunity Forty arms, 125000.5, Example Robotics'],
  meta: ['New leads: event-1 (form 123)'],
  zoom: [
    'contact Ada Lovelace, Example Robotics, registered, +442079460000, Head of Engines',
    'Registered for Product demo *',
  ],
  calendly: ['contact Ada Lovelace, meeting', 'Booked Product demo at 2026-02-02T09:30:00.000000Z *'],
  paddle: [
    'contact Unknown (Paddle), customer',
    'ctm_01h84cjfwmdph1k8kgsyjt3k7g paid 49 USD (txn_01h84g59djkdevwqpewsvxx2m3) *',
  ],
  typeform: ['contact Ada Lovelace, inbound', 'Talk to sales: Ada / Lovelace *'],
  linear: ['Ada Lovelace created WEB-1: The sign-in page is blank https://linear.app/acme/issue/WEB-1/sign-in-page'],
  intercom: ['contact Ada Lovelace, intercom, +442079460000', 'New in Intercom: ada@example.com *'],
  zendesk: ['Ticket 42 (priority: normal): The sign-in page is blank'],
  'standard-webhooks': ['contact Ada Lovelace, signed up', 'ada@example.com signed up *'],
  hmac: ['contact Ada Lovelace, Example Robotics, signed up', 'ada@example.com signed up *'],
  basic: form,
  header: form,
  query: form,
  bearer: form,
};

const leftIn = statement<{ text: string }>(
  'test.left',
  `SELECT 'contact ' || concat_ws(', ', first_name || ' ' || last_name, company, array_to_string(tags, ', '), phone, title)
     AS text FROM contacts WHERE org_id = $1
   UNION ALL SELECT 'opportunity ' || concat_ws(', ', o.opportunity_name, o.amount::float8, a.account_name)
   FROM opportunities o JOIN accounts a ON a.org_id = o.org_id AND a.id = o.account_id WHERE o.org_id = $1
   UNION ALL SELECT c.content || CASE WHEN EXISTS (SELECT FROM custom_activity_contacts l
     WHERE l.org_id = c.org_id AND l.activity_id = c.id) THEN ' *' ELSE '' END
   FROM custom_activities c WHERE c.org_id = $1`,
);

const insertKnown = statement<never>(
  'test.insert_known',
  `INSERT INTO contacts (org_id, id, first_name, last_name, company, tags, email)
   VALUES ($1, uuidv7(), 'Augusta', 'King', 'Own Company', '{vip,board}', 'Ada@example.com')`,
);

const runsIn = statement<{ status: string }>('test.runs', 'SELECT status FROM workflow_runs WHERE org_id = $1');

const skippedIn = statement<{ skipped: unknown }>(
  'test.skipped',
  'SELECT skipped FROM webhook_deliveries WHERE org_id = $1',
);

/** Fields of what the commands print. */
interface Printed {
  id: string;
  signature: unknown;
  secret?: string;
}

interface SetUp {
  org: string;
  kind: SignatureKindName;
  trigger: Printed;
  relata(command: string): Promise<Printed>;
  commands: string[];
}

/** Runs the commands of a sender's page, as far as they set it up. */
async function setUp(kind: SignatureKindName, org: string): Promise<SetUp> {
  const page = await readFile(join(root, `docs/senders/${recipes[kind].file}.md`), 'utf8');
  const given: Record<string, string> = { ORG_ID: org, 'secret.txt': secretFile };
  const relata = async (command: string) => {
    const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!).slice(1);
    const args = words.map((word) => given[word] ?? (word.startsWith('examples/') ? join(root, word) : word));
    const { code, stdout, stderr } = await cli.run([...args, '--json'], { SIGNING_KEYS });
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout) as Printed;
  };
  const commands = page.match(/^relata .*$/gm)!;
  const find = (start: RegExp) => commands.find((command) => start.test(command))!;
  await relata(find(/^relata workflows apply/));
  const trigger = await relata(find(new RegExp(`--signature ${kind}( |$)`)));
  given['TRIGGER_ID'] = trigger.id;
  if (trigger.secret) given['SECRET'] = trigger.secret;
  const rotate = / run\n? *`(relata triggers rotate [^`]*)`/.exec(page)?.[1];
  if (rotate && !trigger.secret) await relata(rotate);
  await relata(find(/^relata triggers assign/));
  return { org, kind, trigger, relata, commands };
}

/** Posts as the sender does, and waits for the end of all runs. */
async function send({ org, trigger }: SetUp, sample: Sample, nowMs = Date.now()) {
  const body = Buffer.from(JSON.stringify(sample.body));
  const kind = findSignatureKind(SignatureSpec.parse(trigger.signature));
  const target = `${receiver.url}/webhooks/trigger/${trigger.id}`;
  const signing = { secret: trigger.secret ?? theirSecret, body, url: target, id: 'msg_1', nowMs };
  const { url, headers } = signPost(kind, signing);
  const sent = { 'content-type': 'application/json', ...sample.headers, ...headers };
  const answer = await fetch(url, { method: 'POST', body: new Uint8Array(body), headers: sent });
  expect(answer.status, await answer.text()).toBe(202);
  await until(async () => expect(await statusesIn(org)).not.toContain('pending'));
}

const ended = new Set(['succeeded', 'failed', 'cancelled']);
const statusesIn = async (org: string) =>
  (await cli.database().query(runsIn, [org])).map(({ status }) => (ended.has(status) ? status : 'pending'));
const recordsIn = async (org: string) => (await cli.database().query(leftIn, [org])).map(({ text }) => text);

/** Posts the sample of a kind twice; the sender signs the second post anew. */
async function sendTwice(kind: SignatureKindName, org: string): Promise<SetUp> {
  const made = await setUp(kind, org);
  const sample = describeKind(kind).sample('event-1');
  await send(made, sample);
  await send(made, sample, Date.now() + 1_000);
  expect(await statusesIn(org)).toEqual(['succeeded']);
  return made;
}

test.for(signatureKinds)('%s: its page sets it up, and its sample starts the recipe once (S.18)', async (kind) => {
  const { id: org } = await createOrganization(cli.database(), kind);
  const { relata, commands } = await sendTwice(kind, org);
  expect((await recordsIn(org)).toSorted()).toEqual(left[kind].toSorted());
  const tested = await relata(`${commands.find((text) => /triggers test/.test(text))} --url ${receiver.url}`);
  expect(tested).toMatchObject({ status: 202, skipped: [], runs: [{ status: 'succeeded' }] });
});

test.for(signatureKinds)('%s: its recipe leaves a known person as it was, and adds to it (S.18)', async (kind) => {
  const { id: org } = await createOrganization(cli.database(), kind);
  await cli.database().query(insertKnown, [org]);
  await sendTwice(kind, org);
  const added =
    left[kind].find((text) => text.startsWith('contact '))?.replace(/^[^,]*(, Example Robotics)?/, '') ?? '';
  const known = `contact Augusta King, Own Company, vip, board${added}`;
  expect((await recordsIn(org)).filter((text) => text.startsWith('contact '))).toEqual([known]);
});

/** Events that a recipe passes over: without an address, not paid, sent by an app, of another type. */
const passedOver: [SignatureKindName, object][] = [
  ['stripe', { data: { object: { payment_status: 'paid', customer_details: { email: null } } } }],
  ['stripe', { data: { object: { payment_status: 'unpaid', customer_details: { email: 'ada@example.com' } } } }],
  ['stripe', { type: 'invoice.paid', data: { object: { object: 'invoice' } } }],
  ['shopify', { email: null }],
  ['shopify', { email: '' }],
  ['intercom', { data: { item: { type: 'contact', email: null } } }],
  ['standard-webhooks', { data: { email_addresses: [] } }],
  ['slack', { event: { type: 'message', bot_id: 'B1', text: 'Hello' } }],
  ['github', { action: 'closed' }],
];

test.for(passedOver)('%s: %j starts nothing, and is no problem', async ([kind, change]) => {
  const { id: org } = await createOrganization(cli.database(), kind);
  const { body, headers } = describeKind(kind).sample('event-1');
  await send(await setUp(kind, org), { headers, body: { ...body, ...change } });
  const [{ skipped } = {}] = await cli.database().query(skippedIn, [org]);
  expect(skipped).toEqual([{ workflow_id: expect.any(String), reason: expect.stringContaining('filter') }]);
});

test('a known deal of HubSpot keeps its name and its amount if a post has none, and takes another amount', async () => {
  const { id: org } = await createOrganization(cli.database(), 'Deals');
  const made = await sendTwice('hubspot', org);
  const { body, headers } = describeKind('hubspot').sample('event-1');
  const changes = [{ amount: null, dealname: 'Renamed' }, { amount: '7' }];
  const found = [];
  for (const [at, change] of changes.entries()) {
    await send(made, { headers, body: { ...body, hs_lastmodifieddate: at, ...change } });
    found.push(...(await recordsIn(org)));
  }
  expect(found).toEqual([
    'opportunity Forty arms, 125000.5, Example Robotics',
    'opportunity Forty arms, 7, Example Robotics',
  ]);
});
