import { statement } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SignatureSpec } from '@relata/signatures';
import { until } from '@relata/testing';
import { dropOldSignedPosts } from '@relata/workflows/execution';
import { openReceiver, post } from '../webhook-ingest.harness.ts';
import { postHeaders, hmacSpec, type SignedTrigger, startSignedReceiver } from './signed.harness.ts';

let receiver: Awaited<ReturnType<typeof startSignedReceiver>>;
let replica: Awaited<ReturnType<typeof openReceiver>>;
beforeAll(async () => {
  receiver = await startSignedReceiver();
  replica = await openReceiver(receiver.db.url, { signingKeys: receiver.signingKeys });
});
afterAll(async () => {
  await replica[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** Captures a signed post of a sender, and returns a function that sends it again with other headers. */
async function capture(spec: SignatureSpec, body = '{"a":1}') {
  const target = await receiver.newSignedTrigger(spec, 'whsec_0123456789abcdefghijklmnopqrstuv');
  await receiver.assign(target.id, { name: `of-${target.id}`, inputs: {} }, {});
  const signed = postHeaders(target, { body });
  const send = (headers: object = {}, url = receiver.url) => sendOnce(target, body, { ...signed, ...headers }, url);
  return { target, send };
}

/** Posts like a sender: repeats the post after a 503, which guarantees that nothing was stored. */
const sendOnce = (target: SignedTrigger, body: string, headers: object, url = receiver.url) =>
  until(async () => {
    const response = await post(url, target.id, { body, headers: { ...postHeaders(target, { body }), ...headers } });
    expect(response.status).not.toBe(503);
    return response;
  });

const storedOf = async ({ id }: SignedTrigger) => (await receiver.deliveries()).filter((row) => row.trigger_id === id);
async function runsOf(target: SignedTrigger) {
  const ids = new Set((await storedOf(target)).map(({ id }) => id));
  return (await receiver.runs()).filter(({ delivery_id: id }) => ids.has(id));
}

const accepted = { status: 202, body: { received: true } };
const untimed: SignatureSpec = {
  kind: 'hmac',
  options: { header: 'x-sig', algorithm: 'sha256', encoding: 'hex', prefix: '', template: '{body}' },
};
const mark = (id: string) => ({
  'x-github-delivery': id,
  'x-shopify-webhook-id': id,
  'idempotency-key': id,
  'webhook-id': id,
});

describe.for([{ kind: 'github' }, { kind: 'shopify' }, untimed] as SignatureSpec[])('a sender of $kind', (spec) => {
  test('a captured post with other delivery ids, sent to two replicas at once, starts nothing (found A8) (acceptance S.17)', async () => {
    const { target, send } = await capture(spec);
    const copies = Array.from({ length: 12 }, (_, i) => send(mark(`copy-${i}`), i % 2 ? replica.url : receiver.url));
    for (const response of await Promise.all(copies)) expect(response).toMatchObject(accepted);
    expect(await send(mark('later'), replica.url)).toMatchObject(accepted);
    expect(await storedOf(target)).toHaveLength(1);
    expect(await runsOf(target)).toHaveLength(1);
  });
});

test('a copy with the id of a future delivery does not prevent that delivery (found A8)', async () => {
  const { target, send } = await capture({ kind: 'github' });
  await send(mark('first'));
  await send(mark('next'));
  const body = '{"a":2}';
  await sendOnce(target, body, mark('next'));
  expect((await storedOf(target)).map((row) => row.body.toString())).toEqual(['{"a":1}', body]);
});

test('a post that is a repeat by its key does not mark its bytes as known (found A8)', async () => {
  const { target, send } = await capture({ kind: 'github' });
  await send(mark('first'));
  const body = '{"a":2}';
  const other = (id: string) => sendOnce(target, body, mark(id));
  await other('first');
  await other('second');
  await other('third');
  expect((await storedOf(target)).map((row) => row.body.toString())).toEqual(['{"a":1}', body]);
});

test('a sender that signs the time may send the same bytes again (found A8)', async () => {
  const { target, send } = await capture(hmacSpec);
  await send(mark('first'));
  await send(mark('second'));
  expect(await storedOf(target)).toHaveLength(2);
});

const identified = (template: string): SignatureSpec => ({
  kind: 'hmac',
  options: { header: 'x-sig', algorithm: 'sha256', encoding: 'hex', prefix: '', template, idHeader: 'x-event-id' },
});

test('equal bodies with different signed ids are different events, and a copy of either is a repeat', async () => {
  const { target, send } = await capture(identified('{id}.{body}'));
  await send();
  await sendOnce(target, '{"a":1}', {});
  expect(await storedOf(target)).toHaveLength(2);
  await send(mark('copy'));
  expect(await storedOf(target)).toHaveLength(2);
});

test('a copy is a repeat even if the beginning of the body was moved to the end of the signed id', async () => {
  const form = 'application/x-www-form-urlencoded';
  const { target, send } = await capture(identified('{id}{body}'), 'a=1&b=2');
  const signed = { 'content-type': form, ...postHeaders(target, { body: 'a=1&b=2' }) };
  await send(signed);
  expect(await storedOf(target)).toHaveLength(1);
  const moved = { ...signed, 'x-event-id': `${signed['x-event-id' as keyof typeof signed]}a=1&` };
  expect(await sendOnce(target, 'b=2', moved)).toMatchObject(accepted);
  expect(await storedOf(target)).toHaveLength(1);
});

test('a post that could not be stored does not mark its bytes as known (found A8)', async () => {
  const { target, send } = await capture({ kind: 'github' });
  const { owner } = receiver.db;
  const change = (text: string) => owner.query(statement<never>('', `ALTER TABLE webhook_deliveries ${text}`), []);
  await change('ADD CONSTRAINT broken CHECK (false) NOT VALID');
  expect((await send(mark('first'))).status).toBe(500);
  await change('DROP CONSTRAINT broken');
  expect(await send(mark('first'))).toMatchObject(accepted);
  expect(await storedOf(target)).toHaveLength(1);
});

const age = statement<never>(
  'test.age_posts',
  `UPDATE webhook_signed_posts SET received_at = now() - make_interval(days => $2) WHERE trigger_id = $1`,
);

test('the same bytes are a repeat for 7 days and new afterwards, even before the old row is deleted (found A8)', async () => {
  const { database } = receiver.db;
  const { target, send } = await capture({ kind: 'github' });
  await send(mark('first'));
  await database.query(age, [target.id, 6]);
  await send(mark('second'));
  expect(await storedOf(target)).toHaveLength(1);
  expect(await dropOldSignedPosts(database)).toBe(0);
  await database.query(age, [target.id, 8]);
  await Promise.all([send(mark('third')), send(mark('fourth'), replica.url)]);
  expect(await storedOf(target)).toHaveLength(2);
  await database.query(age, [target.id, 8]);
  expect(await dropOldSignedPosts(database)).toBe(1);
  await send(mark('fifth'));
  expect(await storedOf(target)).toHaveLength(3);
});
