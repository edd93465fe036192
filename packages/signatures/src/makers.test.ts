import { sign as signAsGitHub, verify as verifyAsGitHub } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { expect, test } from 'vitest';
import { describeKind, findSignatureKind, signatureKinds, type SignedKindName } from './kinds.ts';
import { signPost } from './sign.ts';
import { opens } from './signature.harness.ts';

const body = '{"id":"evt_1","text":"Grüße 🎉"}';
const nowMs = Math.floor(Date.now() / 1_000) * 1_000;
const stripe = new Stripe('sk_test_none');
const text = 'whsec_0123456789abcdefghijklmnop';

test("S.2: signatures of GitHub's own library are accepted, and it accepts ours", async () => {
  const kind = findSignatureKind({ kind: 'github' });
  const headers = { 'X-Hub-Signature-256': await signAsGitHub(text, body) };
  expect(opens({ kind, secret: text, headers, body, nowMs })).toBe(true);
  expect(opens({ kind, secret: text, headers, body: `${body} `, nowMs })).toBe(false);
  const { headers: own } = signPost(kind, { secret: text, body: Buffer.from(body), url: '', id: '', nowMs });
  expect(await verifyAsGitHub(text, body, own['x-hub-signature-256']!)).toBe(true);
});

test("S.2: signatures of Stripe's own library are accepted, and it accepts ours", () => {
  const kind = findSignatureKind({ kind: 'stripe' });
  const timestamp = nowMs / 1_000;
  const header = stripe.webhooks.generateTestHeaderString({ payload: body, secret: text, timestamp });
  const headers = { 'Stripe-Signature': header };
  expect(opens({ kind, secret: text, headers, body, nowMs })).toBe(true);
  expect(opens({ kind, secret: text, headers, body: `${body} `, nowMs })).toBe(false);
  const { headers: own } = signPost(kind, { secret: text, body: Buffer.from(body), url: '', id: '', nowMs });
  expect(stripe.webhooks.constructEvent(body, own['stripe-signature']!, text)).toMatchObject({ id: 'evt_1' });
});

test('S.1: one valid signature of two is enough for Stripe, and two timestamps are refused', () => {
  const kind = findSignatureKind({ kind: 'stripe' });
  const [t, v1] = stripe.webhooks
    .generateTestHeaderString({ payload: body, secret: text, timestamp: nowMs / 1_000 })
    .split(',');
  const other = `v1=${'0'.repeat(64)}`;
  const opensWith = (header: string) =>
    opens({ kind, secret: text, headers: { 'Stripe-Signature': header }, body, nowMs });
  expect(opensWith(`${t},${other},${v1}`)).toBe(true);
  expect(opensWith(`${t},v1=nonsense,${v1}`)).toBe(true);
  expect(opensWith(`${t},${other}`)).toBe(false);
  expect(opensWith(`${t},${v1!.replace('v1', 'v0')}`)).toBe(false);
  expect(opensWith(`${t},${v1},${t}`)).toBe(false);
  expect(opensWith(`${t},${Array(10).fill(other).join(',')},${v1}`)).toBe(false);
});

test('S.2: signatures of the Standard Webhooks library are accepted, and it accepts ours', () => {
  const kind = findSignatureKind({ kind: 'standard-webhooks' });
  const secret = kind.secret.make!();
  const signature = new Webhook(secret).sign('msg_1', new Date(nowMs), body);
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(nowMs / 1_000),
    'webhook-signature': `v1a,aaaa v1,${Buffer.alloc(32).toString('base64')} ${signature}`,
  };
  expect(opens({ kind, secret, headers, body, nowMs })).toBe(true);
  expect(opens({ kind, secret, headers: { ...headers, 'webhook-id': 'msg_2' }, body, nowMs })).toBe(false);
  const { headers: own } = signPost(kind, { secret, body: Buffer.from(body), url: '', id: 'msg_3', nowMs });
  expect(new Webhook(secret).verify(body, own)).toMatchObject({ id: 'evt_1' });
});

test("S.14: signatures of Svix's own library are accepted, and no part of another family's headers is mixed in", () => {
  const kind = findSignatureKind({ kind: 'standard-webhooks' });
  const secret = kind.secret.make!();
  const signedAt = (id: string, prefix: string) => ({
    [`${prefix}-id`]: id,
    [`${prefix}-timestamp`]: String(nowMs / 1_000),
    [`${prefix}-signature`]: new SvixWebhook(secret).sign(id, new Date(nowMs), body),
  });
  const svix = signedAt('msg_1', 'svix');
  const opensWith = (headers: Record<string, string>) => opens({ kind, secret, headers, body, nowMs });
  expect(opensWith(svix)).toBe(true);
  expect(opensWith({ ...svix, 'svix-id': 'msg_2' })).toBe(false);
  const { 'svix-id': _id, ...incomplete } = svix;
  expect(opensWith(incomplete)).toBe(false);
  expect(opensWith({ ...incomplete, 'webhook-id': 'msg_1' })).toBe(false);
  // The first complete family counts, and `webhook-` comes first.
  expect(opensWith({ ...svix, ...signedAt('msg_2', 'webhook') })).toBe(true);
  expect(opensWith({ ...svix, 'webhook-id': 'msg_1', 'webhook-timestamp': '1' })).toBe(true);
  expect(opensWith({ ...svix, ...signedAt('msg_1', 'webhook'), 'webhook-id': 'msg_2' })).toBe(false);
  const { headers: own } = signPost(kind, { secret, body: Buffer.from(body), url: '', id: 'msg_3', nowMs });
  expect(() => new SvixWebhook(secret).verify(body, own)).not.toThrow();
  expect(() => new SvixWebhook(secret).verify(`${body} `, own)).toThrow('signature');
});

test("S.14: Calendly's signatures are Stripe's in another header", () => {
  const kind = findSignatureKind({ kind: 'calendly' });
  const timestamp = nowMs / 1_000;
  const header = stripe.webhooks.generateTestHeaderString({ payload: body, secret: text, timestamp });
  expect(opens({ kind, secret: text, headers: { 'Calendly-Webhook-Signature': header }, body, nowMs })).toBe(true);
  expect(opens({ kind, secret: text, headers: { 'Stripe-Signature': header }, body, nowMs })).toBe(false);
});

test('a token of Zoom is signed, unless it looks like a text that Zoom itself signs', () => {
  const { challenge, secret } = findSignatureKind({ kind: 'zoom' });
  const answerTo = (plainToken: unknown, event = 'endpoint.url_validation') =>
    challenge?.by === 'post' &&
    challenge.answer({ event, payload: { plainToken } }, secret.keyOf('zoom-secret-token')!);
  expect(answerTo('qgg8vlvZRS6UYooatFL8Aw')).toEqual({
    plainToken: 'qgg8vlvZRS6UYooatFL8Aw',
    // Made with openssl.
    encryptedToken: 'd9e0d764a78494688ba3f2d5c0ed4ca311394b4834d959759213424d2df961e3',
  });
  for (const token of ['v0:1700000000:{}', 'v0:', 7, null, ['a'], 'x'.repeat(1_001)])
    expect(answerTo(token)).toBeUndefined();
  expect(answerTo('qgg8vlvZRS6UYooatFL8Aw', 'meeting.started')).toBeUndefined();
});

const options = { header: 'x-sig', algorithm: 'sha1', encoding: 'base64', prefix: '', template: '{body}' } as const;

const signedKinds = signatureKinds.filter((kind): kind is SignedKindName => describeKind(kind).proof === 'signature');

test.for(signedKinds)('our own signatures of the kind %s are accepted', (name) => {
  const kind = findSignatureKind(name === 'hmac' ? { kind: name, options } : { kind: name });
  const secret = kind.secret.make?.() ?? text;
  const url = 'https://crm.example/webhooks/trigger/1?a=%2f';
  const { headers } = signPost(kind, { secret, body: Buffer.from(body), url, id: 'msg_1', nowMs });
  expect(opens({ kind, secret, headers, body, nowMs, uris: [url] })).toBe(true);
});
