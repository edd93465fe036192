import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { signatureKinds, SignatureSpec } from '@relata/signatures';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post } from '../webhook-ingest.harness.ts';
import { postHeaders, startSignedReceiver } from './signed.harness.ts';

const page = await readFile(new URL('../../../../docs/senders.md', import.meta.url), 'utf8');
const sections = page.split(/^## /m).filter((text) => text.includes('--signature'));

let receiver: Awaited<ReturnType<typeof startSignedReceiver>>;
beforeAll(async () => void (receiver = await startSignedReceiver()));
afterAll(() => receiver[Symbol.asyncDispose]());

/** Bodies that each sender posts, as far as the workflows of the page read them, and the resulting inputs. */
const posts: Record<string, { body: object; inputs: object }> = {
  github: {
    body: {
      action: 'opened',
      issue: { title: 'Broken', html_url: 'https://github.com/a/b/issues/1', user: { login: 'ada' } },
    },
    inputs: { title: 'Broken', url: 'https://github.com/a/b/issues/1', author: 'ada' },
  },
  stripe: {
    body: {
      id: 'evt_1',
      type: 'checkout.session.completed',
      data: { object: { customer_details: { email: 'ada@example.com', name: 'Ada' } } },
    },
    inputs: { email: 'ada@example.com', name: 'Ada' },
  },
  shopify: {
    body: { id: 1, email: 'ada@example.com', total_price: '598.94', customer: { first_name: 'Ada', last_name: null } },
    inputs: { email: 'ada@example.com', first_name: 'Ada', last_name: '(unknown)', total: '598.94' },
  },
  hubspot: {
    body: { email: 'ada@example.com', firstname: 'Ada', lastname: 'Lovelace' },
    inputs: { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' },
  },
  slack: {
    body: { type: 'event_callback', event_id: 'Ev1', event: { type: 'message', text: 'Hello', user: 'U1' } },
    inputs: { text: 'Hello', user: 'U1' },
  },
  'standard-webhooks': {
    body: { type: 'user.created', timestamp: '2026-01-01T00:00:00Z', data: { email: 'ada@example.com', name: 'Ada' } },
    inputs: { email: 'ada@example.com', name: 'Ada' },
  },
  hmac: { body: { form_response: { definition: { title: 'Leads' } } }, inputs: { form: 'Leads' } },
};

/** Returns the options of a command, as the CLI reads them. */
function optionsOf(command: string): [string, string][] {
  return [...command.matchAll(/--([a-z-]+) (?:'([^']*)'|(\S+))/g)].map(([, name, quoted, plain]) => [
    name!,
    quoted ?? plain!,
  ]);
}

function specOf(options: [string, string][]): SignatureSpec {
  const { signature: kind, 'timestamp-header': timestampHeader, ...given } = Object.fromEntries(options);
  const { org: _org, name: _name, 'secret-file': _file, ...hmac } = given;
  const timed = timestampHeader === undefined ? {} : { timestampHeader };
  return SignatureSpec.parse(kind === 'hmac' ? { kind, options: { ...hmac, ...timed } } : { kind });
}

/** Kinds of senders that have a section. */
const shownKinds = signatureKinds.filter((kind) => kind in posts);

test('the page has a section for the best-known kinds of senders', () => {
  const shown = sections.slice(1).map((text) => /--signature ([a-z-]+)/.exec(text)![1]!);
  expect(shown.slice(0, 7).toSorted()).toEqual(shownKinds.toSorted());
});

test.for(shownKinds)('the instructions of the page for %s start the workflow that it shows', async (kind) => {
  const text = sections.slice(1).find((each) => each.includes(`--signature ${kind}`))!;
  const spec = specOf(optionsOf(/^.*relata triggers create .*$/m.exec(text)![0]));
  const target = await receiver.newTarget(spec, 'whsec_0123456789abcdefghijklmnopqrstuv');
  const definition = JSON.parse(/```json\n([^]*?)```/.exec(text)![1]!);
  const options = optionsOf(/^relata triggers assign .*$/m.exec(text)![0]);
  const inputs = options.filter(([name]) => name === 'input').map(([, input]) => input.split('='));
  const filter = options.find(([name]) => name === 'filter')?.[1];
  const workflowId = await receiver.assign(target.id, definition, Object.fromEntries(inputs), filter);
  const body = JSON.stringify(posts[kind]!.body);
  const headers = postHeaders(target, { body, url: receiver.url });
  expect((await post(receiver.url, target.id, { body, headers })).status).toBe(202);
  const other = JSON.stringify({ zen: 'Speak like a human.' });
  await post(receiver.url, target.id, {
    body: other,
    headers: postHeaders(target, { body: other, url: receiver.url }),
  });
  const runs = (await receiver.runs()).filter((run) => run.workflow_id === workflowId);
  expect(runs.map((run) => run.inputs)).toEqual([posts[kind]!.inputs]);
});

test('the options that the page shows for other senders work with their signatures', async () => {
  const rows = [...page.matchAll(/^\| (Typeform|Intercom|Linear|Zendesk|Zoom) +\| `(.*)` +\|$/gm)];
  expect(rows).toHaveLength(5);
  const [secret, body, now] = ['a-secret-of-theirs', '{"a":1}', String(Math.floor(Date.now() / 1_000))];
  const iso = `${new Date().toISOString().slice(0, 19)}Z`;
  const mac = (algorithm: string, text: string) => createHmac(algorithm, secret).update(text);
  const signed: Record<string, Record<string, string>> = {
    Typeform: { 'Typeform-Signature': `sha256=${mac('sha256', body).digest('base64')}` },
    Intercom: { 'X-Hub-Signature': `sha1=${mac('sha1', body).digest('hex')}` },
    Linear: { 'Linear-Signature': mac('sha256', body).digest('hex') },
    Zendesk: {
      'X-Zendesk-Webhook-Signature-Timestamp': iso,
      'X-Zendesk-Webhook-Signature': mac('sha256', `${iso}${body}`).digest('base64'),
    },
    Zoom: {
      'x-zm-request-timestamp': now,
      'x-zm-signature': `v0=${mac('sha256', `v0:${now}:${body}`).digest('hex')}`,
    },
  };
  for (const [, sender, options] of rows) {
    const { id } = await receiver.newTarget(specOf(optionsOf(`--signature hmac ${options}`)), secret);
    expect((await post(receiver.url, id, { body, headers: signed[sender!]! })).status, sender).toBe(202);
  }
});
