import { gzipSync } from 'node:zlib';
import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { noopBus, operatorActor } from '@relata/events';
import {
  describeKind,
  findSignatureKind,
  signatureKinds,
  type SignedKindName,
  type SignatureSpec,
} from '@relata/signatures';
import { createTrigger, selectTriggerKey, rotateTriggerSecret } from '@relata/workflows';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openReceiver, post } from '../webhook-ingest.harness.ts';
import {
  postHeaders,
  hmacSpec,
  newSigningKeys,
  type SignedBody,
  type SignedTrigger,
  startSignedReceiver,
} from './signed.harness.ts';

let receiver: Awaited<ReturnType<typeof startSignedReceiver>>;
beforeAll(async () => void (receiver = await startSignedReceiver({ rateLimit: { points: 5, windowMs: 600_000 } })));
afterAll(() => receiver[Symbol.asyncDispose]());

const own = 'whsec_0123456789abcdefghijklmnopqrstuv';
const signedKinds = signatureKinds.filter((kind): kind is SignedKindName => describeKind(kind).proof === 'signature');
const specOf = (kind: SignedKindName): SignatureSpec => (kind === 'hmac' ? hmacSpec : { kind });
const send = (target: SignedTrigger, signed: SignedBody, more: { body?: string | Buffer; headers?: object } = {}) =>
  post(receiver.url, target.id, {
    body: new Uint8Array(Buffer.from(more.body ?? signed.body)),
    headers: { ...postHeaders(target, { url: receiver.url, ...signed }), ...more.headers },
  });

const accepted = { status: 202, body: { received: true } };
const unauthorized = { status: 401, body: { error: 'missing or invalid webhook secret' } };
const refused = (status: number, error: string) => ({ status, body: { error } });
/** Posts to each target through a new receiver, which has an empty cache, and returns the statuses. */
async function statusesOf(...targets: SignedTrigger[]): Promise<number[]> {
  const { db, signingKeys } = receiver;
  await using fresh = await openReceiver(db.url, { signingKeys });
  const posts = targets.map((target) =>
    post(fresh.url, target.id, { body: '{}', headers: postHeaders(target, { body: '{}' }) }),
  );
  return (await Promise.all(posts)).map(({ status }) => status);
}

const storedOf = async ({ id }: SignedTrigger) => (await receiver.deliveries()).filter((row) => row.trigger_id === id);

describe.for(signedKinds)('a sender of the kind %s', (kind) => {
  test('is accepted only with its signature, and its body is stored byte for byte', async () => {
    const target = await receiver.newSignedTrigger(specOf(kind), own);
    const body = '{ "a":"Grüße \\u0000" }';
    const response = await send(target, { body }, { headers: { 'x-event': 'e' } });
    expect(response).toMatchObject(accepted);
    expect(await send(target, { body }, { body: body.replace('a', 'b') })).toMatchObject(unauthorized);
    expect(await post(receiver.url, target.id, { body })).toMatchObject(unauthorized);
    expect(await post(receiver.url, target.id, { body, secret: own })).toMatchObject(unauthorized);
    expect(await send({ ...target, secret: own.replace('0', '1') }, { body })).toMatchObject(unauthorized);
    const [stored, ...others] = await storedOf(target);
    expect(others).toEqual([]);
    expect(stored!.body.toString()).toBe(body);
    expect(stored!.headers).toMatchObject({ 'x-event': 'e' });
    const [signature] = Object.values(postHeaders(target, { body }));
    expect(JSON.stringify(stored!.headers)).not.toContain(signature!.slice(-12));
    expect(Object.keys(stored!.headers)).not.toContain(Object.keys(postHeaders(target, { body }))[0]);
    expect(response.headers.get('vary')?.split(', ')).toEqual(
      expect.arrayContaining(Object.keys(postHeaders(target, { body }))),
    );
  });

  test.each([kind].filter((name) => name === 'hmac' || findSignatureKind({ kind: name }).writeTime))(
    'is refused with a time of ten minutes ago',
    async () => {
      const target = await receiver.newSignedTrigger(specOf(kind), own);
      const ago = (minutes: number) => send(target, { body: '{}', nowMs: Date.now() - minutes * 60_000 });
      expect(await ago(4)).toMatchObject(accepted);
      expect(await ago(10)).toMatchObject(unauthorized);
      expect(await ago(-10)).toMatchObject(unauthorized);
    },
  );
});

describe('the order of checks', () => {
  const large = `{"a":"${'x'.repeat(5_242_880)}"}`;
  const github = () => receiver.newSignedTrigger({ kind: 'github' });
  const right = `sha256=${'0'.repeat(64)}`;

  test('is 404, 401 without a signature, 413, 401 with a wrong signature, 429, 400', async () => {
    const target = await github();
    expect(await post(receiver.url, crypto.randomUUID(), { body: large })).toMatchObject({ status: 404 });
    expect(await post(receiver.url, target.id, { body: large })).toMatchObject(unauthorized);
    for (const header of [right, 'nonsense']) {
      const headers = { 'x-hub-signature-256': header };
      expect(await post(receiver.url, target.id, { body: large, headers })).toMatchObject(
        refused(413, 'payload too large'),
      );
      expect(await post(receiver.url, target.id, { body: '[', headers })).toMatchObject(unauthorized);
    }
    expect(await send(target, { body: '[' })).toMatchObject(refused(400, 'request body must be valid JSON'));
    for (let i = 0; i < 5; i++) expect(await send(target, { body: '{}' })).toMatchObject(accepted);
    expect(await send(target, { body: '[' })).toMatchObject({ status: 429 });
    expect(await post(receiver.url, target.id, { body: '[' })).toMatchObject(unauthorized);
  });

  test('an unverified post never counts against the limit', async () => {
    const target = await github();
    const headers = { 'x-hub-signature-256': right };
    const strangers = Array.from({ length: 50 }, () => post(receiver.url, target.id, { body: '{}', headers }));
    for (const response of await Promise.all(strangers)) expect(response).toMatchObject(unauthorized);
    for (let i = 0; i < 5; i++) expect(await send(target, { body: '{}' })).toMatchObject(accepted);
  });

  test('a compressed body is verified as received, and then decompressed', async () => {
    const target = await github();
    const [body, headers] = ['{"a":1}', { 'content-encoding': 'gzip' }];
    const packed = gzipSync(body);
    expect(await send(target, { body: packed }, { headers })).toMatchObject(accepted);
    expect(await send(target, { body }, { body: packed, headers })).toMatchObject(unauthorized);
    const bomb = gzipSync(large);
    expect(await send(target, { body: bomb }, { headers })).toMatchObject(refused(413, 'payload too large'));
    expect((await storedOf(target)).map((row) => row.body.toString())).toEqual([body]);
  });

  test('a missing body counts as an empty object, and must be signed, too', async () => {
    const target = await github();
    expect(await send(target, { body: '' })).toMatchObject(accepted);
    expect(await send(target, { body: '{}' }, { body: '' })).toMatchObject(unauthorized);
  });
});

describe('a rotated secret', () => {
  test('stays valid together with the new secret until its overlap ends', async () => {
    const first = await receiver.newSignedTrigger({ kind: 'github' });
    const second = await receiver.rotate(first, 3_600_000);
    expect(second.secret).not.toBe(first.secret);
    expect(await statusesOf(first, second)).toEqual([202, 202]);
    const third = await receiver.rotate(second, 0, own);
    expect(await statusesOf(first, second, third)).toEqual([401, 401, 202]);
  });

  test('cannot overlap with a sixth secret; the trigger refuses an API key, and a rotation without SIGNING_KEYS', async () => {
    const target = await receiver.newSignedTrigger({ kind: 'github' });
    for (let i = 0; i < 4; i++) await receiver.rotate(target, 60_000);
    await expect(receiver.rotate(target, 60_000)).rejects.toMatchObject({ code: 'conflict' });
    await receiver.rotate(target, 0);
    const context = { database: receiver.db.database, bus: noopBus };
    const actor = operatorActor(receiver.orgId, 'test');
    const { keyId } = await receiver.createSharedTrigger();
    await expect(selectTriggerKey(context, actor, { id: target.id, keyId })).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(rotateTriggerSecret(context, actor, { id: target.id, overlapMs: 0 })).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});

/** Headers that a sender repeats with every attempt for the same event. */
const marked = {
  'x-github-delivery': 'delivery-1',
  'x-shopify-topic': 'orders/create',
  'x-shopify-event-id': 'event-1',
  'x-zm-trackingid': 'tracking-1',
  'linear-delivery': 'delivery-1',
  'x-zendesk-webhook-invocation-id': '8350205582',
};
const event = JSON.stringify({ id: 'evt_1', event_id: 'Ev1', type: 'made' });

test.for(signedKinds.filter((kind) => describeKind(kind).repeatKey !== null))(
  'a repeated event of %s is one delivery, even with other unsigned headers',
  async (kind) => {
    const target = await receiver.newSignedTrigger(specOf(kind), own);
    const headers = { ...postHeaders(target, { url: receiver.url, body: event }), ...marked };
    for (const key of ['first', 'second'])
      expect(
        await post(receiver.url, target.id, { body: event, headers: { ...headers, 'Idempotency-Key': key } }),
      ).toMatchObject(accepted);
    expect(await storedOf(target)).toHaveLength(1);
  },
);

test('a signature of HubSpot over the public URL is accepted, regardless of the scheme that the proxy uses', async () => {
  const target = await receiver.newSignedTrigger({ kind: 'hubspot' }, own);
  const { host } = new URL(receiver.url);
  expect(await send(target, { body: '{}', url: `https://${host}` })).toMatchObject(accepted);
  expect(await send(target, { body: '{}', url: 'https://elsewhere.example' })).toMatchObject(unauthorized);
});

test('S.9: the secret of a sender is not stored in plain text, and is not accepted for another trigger or organization', async () => {
  const secret = 'clear-text-of-a-sender-4711';
  const mine = await receiver.newSignedTrigger({ kind: 'shopify' }, secret);
  const { id: otherOrgId } = await createOrganization(receiver.db.database, 'Globex');
  const others = [
    await receiver.newSignedTrigger({ kind: 'shopify' }, own),
    await receiver.newSignedTrigger({ kind: 'shopify' }, own, otherOrgId),
  ];
  const dump = await receiver.db.owner.query(dumped, []);
  expect(dump.length).toBeGreaterThan(5);
  expect(JSON.stringify(dump)).toContain(mine.id);
  for (const written of [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')])
    expect(JSON.stringify(dump)).not.toContain(written);
  for (const other of others) {
    await receiver.db.owner.query(moveSecret, [mine.id, other.id]);
    // The sender's secret cannot be decrypted, so the response is 503.
    expect(await statusesOf({ ...other, secret }, mine)).toEqual([503, 202]);
  }
});

test('a receiver without the key answers 503, and 401 for an unsigned post', async () => {
  const target = await receiver.newSignedTrigger({ kind: 'github' });
  for (const options of [{}, { signingKeys: newSigningKeys() }]) {
    await using keyless = await openReceiver(receiver.db.url, options);
    const response = await post(keyless.url, target.id, { body: '{}', headers: postHeaders(target, { body: '{}' }) });
    expect(response).toMatchObject({ status: 503 });
    expect(response.headers.get('retry-after')).toBe('30');
    expect(await post(keyless.url, target.id, { body: '{}' })).toMatchObject(unauthorized);
  }
});

test('a secret whose key is lost ends with the next rotation, and wrong signatures get 401 again', async () => {
  const { db, orgId } = receiver;
  const made = { name: 'lost', signature: { kind: 'github' } as const };
  const lost = await createTrigger({ database: db.database }, operatorActor(orgId, 'test'), made, newSigningKeys());
  const target = { id: lost.trigger.id, spec: made.signature, secret: lost.secret! };
  expect(await statusesOf(target)).toEqual([503]);
  const rotated = await receiver.rotate(target, 0);
  expect(await statusesOf(rotated, { ...rotated, secret: own })).toEqual([202, 401]);
});

const makeUnknown = statement<never>(
  'test.make_unknown',
  `UPDATE webhook_triggers SET signature = '{"kind":"of-a-later-release"}' WHERE id = $1`,
);

test('a trigger with an unknown kind of sender answers 503, and does not affect other triggers', async () => {
  const [unknown, known] = [
    await receiver.newSignedTrigger({ kind: 'github' }),
    await receiver.newSignedTrigger({ kind: 'github' }),
  ];
  await receiver.db.owner.query(makeUnknown, [unknown.id]);
  expect(await statusesOf(unknown, known)).toEqual([503, 202]);
});

test.for([
  [{ kind: 'stripe' }, undefined, 'required'],
  [{ kind: 'slack' }, 'short', 'invalid_format'],
  [{ kind: 'standard-webhooks' }, 'no-prefix-in-front-of-it', 'invalid_format'],
] as const)('refuses %j with the secret %s, without quoting the secret', async ([signature, secret, code]) => {
  const context = { database: receiver.db.database };
  const made = createTrigger(
    context,
    operatorActor(receiver.orgId, 'test'),
    { name: 'x', signature, secret },
    receiver.signingKeys,
  );
  const error: unknown = await made.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'validation_error', details: [{ field: 'secret', code }] });
  expect(JSON.stringify(error)).not.toContain(secret ?? own);
});

test('a signature excludes an API key, and is stored only with SIGNING_KEYS', async () => {
  const context = { database: receiver.db.database };
  const actor = operatorActor(receiver.orgId, 'test');
  const signed = { name: 'x', signature: { kind: 'github' } } as const;
  const { keyId } = await receiver.createSharedTrigger();
  await expect(createTrigger(context, actor, { ...signed, keyId }, receiver.signingKeys)).rejects.toMatchObject({
    details: [{ field: 'keyId', code: 'invalid_format' }],
  });
  await expect(createTrigger(context, actor, signed)).rejects.toMatchObject({ code: 'conflict' });
});

test('a given secret is refused for a trigger that generates its own secret', async () => {
  const context = { database: receiver.db.database, bus: noopBus };
  const actor = operatorActor(receiver.orgId, 'test');
  const refusal = { details: [{ field: 'secret', code: 'invalid_format' }] };
  await expect(createTrigger(context, actor, { name: 'x', secret: own })).rejects.toMatchObject(refusal);
  const { trigger } = await createTrigger(context, actor, { name: 'x' });
  const rotation = rotateTriggerSecret(context, actor, { id: trigger.id, overlapMs: 0, secret: own });
  await expect(rotation).rejects.toMatchObject(refusal);
});

/** Statement that returns every row of every table that may contain data of a trigger. */
const dumped = statement<{ row: string }>(
  'test.dump',
  `SELECT row_to_json(t)::text AS row FROM webhook_triggers t UNION ALL
   SELECT row_to_json(s)::text FROM webhook_trigger_secrets s UNION ALL
   SELECT row_to_json(s)::text FROM webhook_signing_secrets s UNION ALL
   SELECT row_to_json(d)::text FROM webhook_deliveries d UNION ALL
   SELECT row_to_json(e)::text FROM events e`,
);

const moveSecret = statement<never>(
  'test.move_secret',
  `UPDATE webhook_signing_secrets SET ciphertext = (SELECT ciphertext FROM webhook_signing_secrets WHERE trigger_id = $1)
   WHERE trigger_id = $2`,
);
