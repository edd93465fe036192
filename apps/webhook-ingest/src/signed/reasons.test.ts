import { until } from '@relata/testing';
import { findSignatureKind, signPost, type SignatureSpec } from '@relata/signatures';
import { listRefusals } from '@relata/workflows/deliveries';
import { listTriggerSecrets } from '@relata/workflows';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openReceiver, post } from '../webhook-ingest.harness.ts';
import { postHeaders, type SignedTrigger, startSignedReceiver } from './signed.harness.ts';

let receiver: Awaited<ReturnType<typeof startSignedReceiver>>;
beforeAll(async () => void (receiver = await startSignedReceiver()));
afterAll(() => receiver[Symbol.asyncDispose]());

const own = 'whsec_0123456789abcdefghijklmnopqrstuv';
const body = '{"a":1}';
const unauthorized = '{"error":"missing or invalid webhook secret"}';

/** Posts with these headers, expects the 401 of the contract, and returns the refusal that the operator sees. */
async function refusedWith(id: string, headers: Record<string, string>, asked: string | null = null) {
  const before = await refusalsOf(id);
  const response = await fetch(`${receiver.url}/webhooks/trigger/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  expect([response.status, await response.text()]).toEqual([401, unauthorized]);
  expect(response.headers.get('www-authenticate')).toBe(asked);
  return until(async () => {
    const after = await refusalsOf(id);
    expect(after.length).toBe(before.length + 1);
    return after[0]!;
  });
}

const refusalsOf = (triggerId: string) => listRefusals(receiver.db.database, receiver.orgId, { limit: 100, triggerId });

const signedBy = (spec: SignatureSpec, minutesAgo = 0, secret = own) => {
  const nowMs = Date.now() - minutesAgo * 60_000;
  return signPost(findSignatureKind(spec), { secret, body: Buffer.from(body), url: 'https://x', id: 'm', nowMs })
    .headers;
};

const basicChallenge = 'Basic realm="Relata", charset="UTF-8"';

test('a sender that waits for the challenge of Basic authentication authenticates', async () => {
  const spec = { kind: 'basic', options: { user: 'ada' } } as const;
  const { id } = await receiver.newSignedTrigger(spec, own);
  const url = `${receiver.url}/webhooks/trigger/${id}`;
  const first = await fetch(url, { method: 'POST', body });
  expect([first.status, await first.text()]).toEqual([401, unauthorized]);
  expect(first.headers.get('www-authenticate')).toBe(basicChallenge);
  expect((await fetch(url, { method: 'POST', body, headers: signedBy(spec) })).status).toBe(202);
});

describe('S.16: the operator sees why a request was refused, and the sender does not', () => {
  test('no_signature and wrong_kind', async () => {
    const { id } = await receiver.newSignedTrigger({ kind: 'github' });
    expect(await refusedWith(id, {})).toMatchObject({
      status: 401,
      reason: 'no_signature',
      message: 'The request lacks the header x-hub-signature-256.',
      body: null,
    });
    const kinds = { stripe: "Stripe's", slack: "Slack's", 'standard-webhooks': "Standard Webhooks'" } as const;
    for (const [kind, whose] of Object.entries(kinds))
      expect(await refusedWith(id, signedBy({ kind } as SignatureSpec))).toMatchObject({
        reason: 'wrong_kind',
        message: `This is ${whose} signature. The trigger expects the header x-hub-signature-256.`,
      });
    expect(await refusedWith(id, { 'X-Webhook-Secret': own })).toMatchObject({
      reason: 'wrong_kind',
      message: 'This is a secret in X-Webhook-Secret. The trigger expects the header x-hub-signature-256.',
    });
    const other = await receiver.newSignedTrigger({ kind: 'stripe' }, own);
    expect(await refusedWith(other.id, signedBy({ kind: 'github' }))).toMatchObject({
      reason: 'wrong_kind',
      message: "This is GitHub's or Meta's signature. The trigger expects the header stripe-signature.",
    });
  });

  test('bad_signature, for a wrong and for a malformed signature', async () => {
    const { id } = await receiver.newSignedTrigger({ kind: 'github' });
    expect(await refusedWith(id, signedBy({ kind: 'github' }, 0, 'another-secret'))).toMatchObject({
      reason: 'bad_signature',
      message: expect.stringContaining('The signature is wrong'),
    });
    expect(await refusedWith(id, { 'x-hub-signature-256': 'nonsense' })).toMatchObject({
      reason: 'bad_signature',
      message: expect.stringContaining('malformed'),
    });
  });

  test('stale and future, with the seconds', async () => {
    const { id } = await receiver.newSignedTrigger({ kind: 'stripe' }, own);
    const stale = await refusedWith(id, signedBy({ kind: 'stripe' }, 10));
    expect(stale).toMatchObject({ reason: 'stale', message: expect.stringMatching(/ 60[0-9] s in the past; 300 s/) });
    const future = await refusedWith(id, signedBy({ kind: 'stripe' }, -10));
    expect(future).toMatchObject({ reason: 'future', message: expect.stringMatching(/ (59|60)\d s in the future/) });
  });

  test('a secret that is missing, wrong or in the wrong place', async () => {
    const spec = { kind: 'basic', options: { user: 'ada' } } as const;
    const { id } = await receiver.newSignedTrigger(spec, own);
    const place = 'the header Authorization with the scheme Basic';
    expect(await refusedWith(id, { authorization: `Bearer ${own}` }, basicChallenge)).toMatchObject({
      reason: 'no_signature',
      message: `The request lacks ${place}.`,
    });
    for (const headers of [{ 'x-webhook-secret': own }, signedBy({ kind: 'github' })])
      expect(await refusedWith(id, headers, basicChallenge)).toMatchObject({ reason: 'wrong_kind' });
    expect(await refusedWith(id, signedBy(spec, 0, 'another-secret-of-ada'), basicChallenge)).toMatchObject({
      reason: 'bad_signature',
      message: `The secret is wrong, malformed or sent twice in ${place}.`,
    });
    const bearer = await receiver.newSignedTrigger({ kind: 'bearer' }, own);
    expect(await refusedWith(bearer.id, {})).toMatchObject({ reason: 'no_signature' });
    const other = await receiver.createUniqueTrigger();
    expect(await refusedWith(other.trigger.id, signedBy({ kind: 'github' }))).toMatchObject({ reason: 'wrong_kind' });
    expect(await refusedWith(other.trigger.id, { 'x-webhook-secret': 'wrong' })).toMatchObject({
      reason: 'unauthorized',
      message: 'missing or invalid webhook secret',
    });
  });

  test('no refusal holds a secret or a signature, and metrics count them as unauthorized', async () => {
    const { id } = await receiver.newSignedTrigger({ kind: 'query', options: { parameter: 'door' } }, own);
    await fetch(`${receiver.url}/webhooks/trigger/${id}?door=${own}-wrong`, { method: 'POST', body });
    const [refused] = await until(async () => {
      const found = await refusalsOf(id);
      expect(found).toHaveLength(1);
      return found;
    });
    expect(refused).toMatchObject({ reason: 'bad_signature' });
    expect(JSON.stringify(refused)).not.toContain(own);
    const text = await receiver.receiver.metrics.metrics();
    expect(text).toContain('webhook_deliveries_refused_total{reason="unauthorized"');
    expect(text).not.toContain('bad_signature');
  });
});

test('the secret that matched has a time of last use, the other secret has none', async () => {
  const first = await receiver.newSignedTrigger({ kind: 'stripe' }, own);
  const second = await receiver.rotate(first, 3_600_000, 'whsec_of_the_second_secret');
  const send = async (target: SignedTrigger, url: string) =>
    expect((await post(url, target.id, { body, headers: postHeaders(target, { body }) })).status).toBe(202);
  const secretsOf = () => listTriggerSecrets(receiver.db.database, receiver.orgId, first.id);
  {
    await using fresh = await openReceiver(receiver.db.url, { signingKeys: receiver.signingKeys });
    for (let i = 0; i < 20; i++) await send(first, fresh.url);
  }
  const [current, previous] = await secretsOf();
  expect([current!.last_used_at, current!.last_four]).toEqual([null, 'cret']);
  expect(Math.abs(Date.parse(previous!.last_used_at!) - Date.now())).toBeLessThan(60_000);
  {
    await using fresh = await openReceiver(receiver.db.url, { signingKeys: receiver.signingKeys });
    await send(second, fresh.url);
    await send(first, fresh.url);
  }
  const [used, unchanged] = await secretsOf();
  expect(used!.last_used_at).not.toBeNull();
  expect(unchanged!.last_used_at).toBe(previous!.last_used_at);
  const { trigger, secret } = await receiver.createUniqueTrigger();
  {
    await using fresh = await openReceiver(receiver.db.url);
    expect((await post(fresh.url, trigger.id, { secret, body })).status).toBe(202);
  }
  const [unique] = await listTriggerSecrets(receiver.db.database, receiver.orgId, trigger.id);
  expect(unique!.last_used_at).not.toBeNull();
});

describe('S.16: the operator sees why a body was refused', () => {
  const send = async (target: SignedTrigger, sent: string | Buffer, headers: Record<string, string>) => {
    const bytes = new Uint8Array(Buffer.from(sent));
    const signed = postHeaders(target, { body: Buffer.from(sent) });
    const response = await post(receiver.url, target.id, { body: bytes, headers: { ...signed, ...headers } });
    expect(response).toMatchObject({ status: 400, body: { error: 'request body must be valid JSON' } });
    return until(async () => {
      const [seen] = await refusalsOf(target.id);
      expect(seen).toBeDefined();
      return seen!;
    });
  };

  test('not_json, with the received content type and what to set', async () => {
    const text = await receiver.newSignedTrigger({ kind: 'github' });
    expect(await send(text, '<xml/>', { 'content-type': 'text/xml' })).toMatchObject({
      reason: 'not_json',
      message: 'The body is not JSON that this trigger accepts. Its Content-Type is text/xml.',
    });
    const form = await receiver.newSignedTrigger({ kind: 'github' });
    const type = 'application/x-www-form-urlencoded';
    expect(await send(form, 'payload=%7B', { 'content-type': type })).toMatchObject({
      reason: 'not_json',
      message: `The body is not JSON that this trigger accepts. Its Content-Type is ${type}. Set the content type to JSON in the sender.`,
    });
  });

  test('body_incomplete, if it is not compressed as declared', async () => {
    const target = await receiver.newSignedTrigger({ kind: 'github' });
    expect(await send(target, body, { 'content-encoding': 'gzip' })).toMatchObject({ reason: 'body_incomplete' });
  });
});
