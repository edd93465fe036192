import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { findSignatureKind, type Sample, type SignatureKindName, SignatureSpec, signPost } from '@relata/signatures';
import { until } from '@relata/testing';
import { afterAll, beforeAll, expect } from 'vitest';
import { setUpCli } from '../../apps/cli/src/cli.harness.ts';
import { newSigningKeys } from '../../apps/webhook-ingest/src/signed/signed.harness.ts';
import { openReceiver, type Receiver } from '../../apps/webhook-ingest/src/webhook-ingest.harness.ts';
import { openWorker } from '../../apps/workflow-worker/src/workflow-worker.harness.ts';
import { recipes } from './recipes.ts';

const root = resolve(import.meta.dirname, '../..');
const inboundLead = join(root, 'examples/inbound-lead.json');
const theirSecret = 'a-secret-of-the-sender-0123456789';
const SIGNING_KEYS = randomBytes(32).toString('base64');

/** JSON output of a command. */
interface Printed {
  id: string;
  /** Null if the sender authenticates with `X-Webhook-Secret`. */
  signature: unknown;
  secret?: string;
}

/** A sender that was set up with the commands of its page. */
export interface TestSender {
  org: string;
  trigger: Printed;
  relata(command: string): Promise<Printed>;
  /** All commands of the page. */
  commands: string[];
}

const runsIn = statement<{ status: string }>('test.runs', 'SELECT status FROM workflow_runs WHERE org_id = $1');

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

const ended = new Set(['succeeded', 'failed', 'cancelled']);

/** Starts a receiver and a worker for a test file, and the CLI on the same database. */
export function useSenders() {
  const cli = setUpCli();
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

  const newOrg = async () => (await createOrganization(cli.database(), 'Acme')).id;
  const statusesIn = async (org: string) =>
    (await cli.database().query(runsIn, [org])).map(({ status }) => (ended.has(status) ? status : 'pending'));

  /** Sets up a sender with the commands on the page of its kind. */
  const setUp = (kind: SignatureKindName, org: string) =>
    follow(`docs/senders/${recipes[kind].file}.md`, org, new RegExp(`--signature ${kind}( |$)`));

  /** Runs the commands of a page that apply a workflow, create a trigger, and assign the workflow to it. */
  async function follow(path: string, org: string, creation: RegExp): Promise<TestSender> {
    const page = await readFile(join(root, path), 'utf8');
    const given: Record<string, string> = { ORG_ID: org, 'secret.txt': secretFile, 'inbound-lead.json': inboundLead };
    const relata = async (command: string) => {
      const quoted = command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g);
      const words = [...quoted].map(([, single, double, plain]) => single ?? double ?? plain!).slice(1);
      const args = words.map((word) => given[word] ?? (word.startsWith('examples/') ? join(root, word) : word));
      const { code, stdout, stderr } = await cli.run([...args, '--json'], { SIGNING_KEYS });
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout) as Printed;
    };
    const commands = [...page.matchAll(/^npx (relata .*)$/gm)].map(([, command]) => command!);
    const find = (start: RegExp) => commands.find((command) => start.test(command))!;
    await relata(find(/^relata workflows apply/));
    const trigger = await relata(find(creation));
    given['TRIGGER_ID'] = trigger.id;
    if (trigger.secret) given['SECRET'] = trigger.secret;
    const rotate = / run\n? *`npx (relata triggers rotate [^`]*)`/.exec(page)?.[1];
    if (rotate && !trigger.secret) await relata(rotate);
    await relata(find(/^relata triggers assign/));
    return { org, trigger, relata, commands };
  }

  /** Posts like the sender, and waits until all runs have ended. */
  async function send({ org, trigger }: TestSender, sample: Sample, nowMs = Date.now()) {
    const body = Buffer.from(JSON.stringify(sample.body));
    const target = `${receiver.url}/webhooks/trigger/${trigger.id}`;
    const signing = { secret: trigger.secret ?? theirSecret, body, url: target, id: 'msg_1', nowMs };
    const { url, headers } = trigger.signature
      ? signPost(findSignatureKind(SignatureSpec.parse(trigger.signature)), signing)
      : { url: target, headers: { 'x-webhook-secret': trigger.secret! } };
    const sent = { 'content-type': 'application/json', ...sample.headers, ...headers };
    const answer = await fetch(url, { method: 'POST', body: new Uint8Array(body), headers: sent });
    expect(answer.status, await answer.text()).toBe(202);
    await until(async () => expect(await statusesIn(org)).not.toContain('pending'));
  }

  /** Posts twice, with a new signature for the second post. Expects that only one run starts. */
  async function sendTwice(sender: TestSender, sample: Sample): Promise<void> {
    await send(sender, sample);
    await send(sender, sample, Date.now() + 1_000);
    expect(await statusesIn(sender.org)).toEqual(['succeeded']);
  }

  return {
    database: cli.database,
    url: () => receiver.url,
    newOrg,
    setUp,
    follow,
    send,
    sendTwice,
    /** Returns a line of text for each record that the recipes have created in an organization. */
    recordsIn: async (org: string) => (await cli.database().query(leftIn, [org])).map(({ text }) => text),
  };
}
