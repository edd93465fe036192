import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { post } from '../webhook-ingest.harness.ts';
import { postHeaders, type SignedTrigger, startSignedReceiver } from './signed.harness.ts';

const megabytes = 5_242_880;

let receiver: Awaited<ReturnType<typeof startSignedReceiver>>;
beforeAll(async () => void (receiver = await startSignedReceiver()));
afterAll(() => receiver[Symbol.asyncDispose]());

const secret = 'whsec_0123456789abcdefghijklmnopqrstuv';
const newSignedTrigger = (kind: 'github' | 'shopify' | 'slack' = 'github') =>
  receiver.newSignedTrigger({ kind }, secret);
const send = (target: SignedTrigger, body: string | Buffer, headers: Record<string, string> = {}) =>
  post(receiver.url, target.id, {
    body: new Uint8Array(Buffer.from(body)),
    headers: { ...postHeaders(target, { body }), ...headers },
  });

const accepted = { status: 202, body: { received: true } };
const refused = (status: number, error: string) => ({ status, body: { error } });
const storedOf = async ({ id }: SignedTrigger) => (await receiver.deliveries()).filter((row) => row.trigger_id === id);

/** Returns the inputs of the runs that the deliveries of a trigger started, in order. */
async function inputsOf(target: SignedTrigger) {
  const runs = await receiver.runs();
  return (await storedOf(target)).flatMap(({ id }) =>
    runs.filter((run) => run.delivery_id === id).map((run) => run.inputs),
  );
}

/** Returns an order as Shopify sends it. Each item has 54 keys. */
function orderOf(items: number): string {
  const money = { amount: '1.00', currency_code: 'EUR' };
  const set = { shop_money: money, presentment_money: money };
  const item = {
    ...Object.fromEntries(Array.from({ length: 24 }, (_, i) => [`field_${i}`, `value ${i}`])),
    price_set: set,
    total_discount_set: set,
    tax_lines: [{ title: 'VAT', rate: 0.19, price_set: set }],
  };
  const lines = Array.from({ length: items }, (_, i) => ({
    id: 866_550_311_766_439_000 + i,
    ...item,
    sku: `SKU-${i}`,
  }));
  return JSON.stringify({ id: 1, email: 'ada@acme.example', line_items: lines }, undefined, 1);
}

test('a signed order of 500 items is kept byte for byte and mapped (acceptance S.11)', async () => {
  const target = await newSignedTrigger('shopify');
  const inputs = { email: { type: 'string' }, last: { type: 'string' } };
  await receiver.assign(
    target.id,
    { name: 'order', inputs },
    { email: 'payload.email', last: 'payload.line_items.499.sku' },
  );
  const body = orderOf(500);
  expect(body.length).toBeGreaterThan(600_000);
  expect(body.match(/":/g)!.length).toBeGreaterThan(20_000);
  expect(await send(target, body)).toMatchObject(accepted);
  const [stored] = await storedOf(target);
  expect(stored!.body.toString()).toBe(body);
  expect(await inputsOf(target)).toEqual([{ email: 'ada@acme.example', last: 'SKU-499' }]);
});

describe('a signed body', () => {
  const text = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;

  test('may have at most 5,242,880 bytes and 200 levels', async () => {
    const target = await newSignedTrigger();
    expect(await send(target, text(megabytes))).toMatchObject(accepted);
    expect(await send(target, text(megabytes + 1))).toMatchObject(refused(413, 'payload too large'));
    const levels = (count: number) => '['.repeat(count) + ']'.repeat(count);
    expect(await send(target, levels(200))).toMatchObject(accepted);
    expect(await send(target, levels(201))).toMatchObject(refused(400, 'payload too large'));
  });

  test.for([
    ['a list', '[{"email":"a@b.example"}]', 'payload.0.email', 'a@b.example'],
    ['a text', '"hello"', 'payload', 'hello'],
    ['a number', '12', 'payload', '12'],
    ['null', 'null', 'payload', undefined],
  ] as const)('may be %s', async ([, body, path, value]) => {
    const target = await newSignedTrigger();
    const inputs = { it: { type: 'string' } };
    await receiver.assign(target.id, { name: `of-${target.id}`, inputs }, { it: path });
    expect(await send(target, body, { 'content-type': 'text/plain' })).toMatchObject(accepted);
    expect(await inputsOf(target)).toEqual([value === undefined ? {} : { it: value }]);
  });

  test('may be a form, which is stored unchanged', async () => {
    const target = await newSignedTrigger();
    const inputs = { email: { type: 'string' }, tags: { type: 'array' } };
    const mapping = { email: 'payload.email', tags: 'payload.tags' };
    await receiver.assign(target.id, { name: 'form', inputs }, mapping);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = 'email=ada%40acme.example&tags=a&tags=b+c';
    expect(await send(target, body, headers)).toMatchObject(accepted);
    expect((await storedOf(target))[0]!.body.toString()).toBe(body);
    expect(await inputsOf(target)).toEqual([{ email: 'ada@acme.example', tags: ['a', 'b c'] }]);
  });

  test('may be a form with JSON in its only field `payload`, as GitHub sends it by default', async () => {
    const target = await newSignedTrigger();
    await receiver.assign(target.id, { name: 'issue', inputs: { id: { type: 'string' } } }, { id: 'payload.issue.id' });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const formOf = (json: string) => `payload=${encodeURIComponent(json)}`;
    expect(await send(target, formOf('{"issue":{"id":820982911946154508}}'), headers)).toMatchObject(accepted);
    expect(await send(target, formOf(orderOf(100)), headers)).toMatchObject(accepted);
    expect(await inputsOf(target)).toEqual([{ id: '820982911946154508' }, {}]);
    expect(await send(target, formOf('{"a":'), headers)).toMatchObject(refused(400, 'request body must be valid JSON'));
  });

  test.for(['{"a":', 'a=1', '\xff', '<xml/>'])('that is neither JSON nor a form is refused: %j', async (body) => {
    const target = await newSignedTrigger();
    const response = await send(target, Buffer.from(body, 'latin1'));
    expect(response).toMatchObject(refused(400, 'request body must be valid JSON'));
    expect(await storedOf(target)).toEqual([]);
  });

  test('may be a form with a field named __proto__, which is data', async () => {
    const target = await newSignedTrigger();
    await receiver.assign(target.id, { name: 'odd', inputs: { a: { type: 'string' } } }, { a: 'payload.__proto__' });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await send(target, '__proto__=x&constructor=y', headers)).toMatchObject(accepted);
    expect(await inputsOf(target)).toEqual([{ a: 'x' }]);
  });
});

test('a signed post without a required input is stored, and starts all workflows whose inputs are complete (acceptance S.12)', async () => {
  const target = await newSignedTrigger('shopify');
  const email = { type: 'string', format: 'email', required: true };
  const refusing = await receiver.assign(
    target.id,
    { name: 'person', inputs: { email, n: { type: 'number' } } },
    { email: 'payload.email', n: 'payload.n' },
  );
  const other = await receiver.assign(target.id, { name: 'log', inputs: {} }, {});
  const body = '{"n":"many"}';
  expect(await send(target, body)).toMatchObject(accepted);
  const [stored] = await storedOf(target);
  expect(stored).toMatchObject({
    skipped: [
      {
        workflow_id: refusing,
        reason: 'refused',
        problems: [
          { input: 'email', field: 'payload.email', code: 'required' },
          { input: 'n', field: 'payload.n', code: 'invalid_type' },
        ],
      },
    ],
  });
  const started = (await receiver.runs()).filter((run) => run.delivery_id === stored!.id);
  expect(started.map((run) => run.workflow_id)).toEqual([other]);
});

test('8 concurrent bodies of 5 MB are all stored, one after another for each address', async () => {
  const target = await newSignedTrigger();
  const bodies = Array.from({ length: 8 }, (_, i) => `{"i":${i},"a":"${'x'.repeat(5_000_000)}"}`);
  const responses = await Promise.all(bodies.map((body) => send(target, body)));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
  expect(await storedOf(target)).toHaveLength(8);
});

test('a body of 5 MB without a declared size is stored, too', async () => {
  const target = await newSignedTrigger();
  const body = `{"a":"${'x'.repeat(megabytes - 8)}"}`;
  const stream = new Blob([body]).stream();
  const response = await fetch(`${receiver.url}/webhooks/trigger/${target.id}`, {
    method: 'POST',
    headers: postHeaders(target, { body }),
    body: stream,
    duplex: 'half',
  });
  expect(response.status).toBe(202);
  expect((await storedOf(target))[0]!.body.length).toBe(megabytes);
});
