import { statement } from '@relata/db';
import { describeKind, type SignatureKindName, signatureKinds } from '@relata/signatures';
import { expect, test } from 'vitest';
import { useSenders } from './senders.harness.ts';

const senders = useSenders();

const form = [
  'contact Ada Lovelace, Example Robotics, inbound',
  'ada@example.com sent a form: We would like a demo. *',
];

/**
 * Records that each recipe creates from the sample of its kind. `*` marks an activity that is linked to the contact.
 */
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

const insertKnown = statement<never>(
  'test.insert_known',
  `INSERT INTO contacts (org_id, id, first_name, last_name, company, tags, email)
   VALUES ($1, uuidv7(), 'Augusta', 'King', 'Own Company', '{vip,board}', 'Ada@example.com')`,
);

const skippedIn = statement<{ skipped: unknown }>(
  'test.skipped',
  'SELECT skipped FROM webhook_deliveries WHERE org_id = $1',
);

test.for(signatureKinds)(
  '%s: the commands of its page set it up, and a repeated sample starts one run (acceptance S.18)',
  async (kind) => {
    const org = await senders.newOrg();
    const sender = await senders.setUp(kind, org);
    await senders.sendTwice(sender, describeKind(kind).sample('event-1'));
    const { relata, commands } = sender;
    expect((await senders.recordsIn(org)).toSorted()).toEqual(left[kind].toSorted());
    const tested = await relata(`${commands.find((text) => /triggers test/.test(text))} --url ${senders.url()}`);
    expect(tested).toMatchObject({ status: 202, skipped: [], runs: [{ status: 'succeeded' }] });
  },
);

test.for(signatureKinds)(
  '%s: its recipe keeps the fields of an existing contact and adds missing ones (acceptance S.18)',
  async (kind) => {
    const org = await senders.newOrg();
    await senders.database().query(insertKnown, [org]);
    await senders.sendTwice(await senders.setUp(kind, org), describeKind(kind).sample('event-1'));
    const added =
      left[kind].find((text) => text.startsWith('contact '))?.replace(/^[^,]*(, Example Robotics)?/, '') ?? '';
    const known = `contact Augusta King, Own Company, vip, board${added}`;
    expect((await senders.recordsIn(org)).filter((text) => text.startsWith('contact '))).toEqual([known]);
  },
);

test('the form of docs/workflows.md, sent twice, keeps an existing contact as it is (acceptance S.18)', async () => {
  const org = await senders.newOrg();
  await senders.database().query(insertKnown, [org]);
  const form = await senders.follow('docs/workflows.md', org, /triggers create/);
  const body = { user: { email: 'ada@example.com', name: 'Somebody Else' } };
  await senders.sendTwice(form, { body, headers: { 'idempotency-key': 'form-1' } });
  expect((await senders.recordsIn(org)).toSorted()).toEqual([
    'Form sent by ada@example.com *',
    'contact Augusta King, Own Company, vip, board',
  ]);
});

/** Events that the filter of a recipe skips: without an email address, unpaid, sent by an app, or of another type. */
const passedOver: [SignatureKindName, object][] = [
  ['stripe', { data: { object: { payment_status: 'paid', customer_details: { email: null } } } }],
  ['stripe', { data: { object: { payment_status: 'unpaid', customer_details: { email: 'ada@example.com' } } } }],
  ['stripe', { type: 'invoice.paid', data: { object: { object: 'invoice' } } }],
  ['shopify', { email: null }],
  ['shopify', { email: '' }],
  ['intercom', { data: { item: { type: 'contact', email: null } } }],
  ['standard-webhooks', { data: { email_addresses: [] } }],
  ['slack', { event: { type: 'message', bot_id: 'B1', text: 'Hello' } }],
  ['typeform', { form_response: { definition: { title: 'Empty' } } }],
  ['github', { action: 'closed' }],
];

test.for(passedOver)('%s: the filter skips a post with %j', async ([kind, change]) => {
  const org = await senders.newOrg();
  const { body, headers } = describeKind(kind).sample('event-1');
  await senders.send(await senders.setUp(kind, org), { headers, body: { ...body, ...change } });
  const [{ skipped } = {}] = await senders.database().query(skippedIn, [org]);
  expect(skipped).toEqual([{ workflow_id: expect.any(String), reason: expect.stringContaining('filter') }]);
});

test('an existing HubSpot deal keeps its name, and takes a new amount if a post has one', async () => {
  const org = await senders.newOrg();
  const made = await senders.setUp('hubspot', org);
  const { body, headers } = describeKind('hubspot').sample('event-1');
  await senders.sendTwice(made, { body, headers });
  const changes = [{ amount: null, dealname: 'Renamed' }, { amount: '7' }];
  const found = [];
  for (const [at, change] of changes.entries()) {
    await senders.send(made, { headers, body: { ...body, hs_lastmodifieddate: at, ...change } });
    found.push(...(await senders.recordsIn(org)));
  }
  expect(found).toEqual([
    'opportunity Forty arms, 125000.5, Example Robotics',
    'opportunity Forty arms, 7, Example Robotics',
  ]);
});
