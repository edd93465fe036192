import { createHmac } from 'node:crypto';
import { noopBus, operatorActor } from '@relata/events';
import { until } from '@relata/testing';
import { changeTrigger, createTrigger } from '@relata/workflows';
import { listRefusals } from '@relata/workflows/deliveries';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openReceiver, post } from '../webhook-ingest.harness.ts';
import { postHeaders, type SignedBody, type SignedTrigger, startSignedReceiver } from './signed.harness.ts';

let receiver: Awaited<ReturnType<typeof startSignedReceiver>>;
const logLines: string[] = [];
beforeAll(async () => void (receiver = await startSignedReceiver({ logLines })));
afterAll(() => receiver[Symbol.asyncDispose]());

const own = 'a-secret-of-the-sender';
const send = (target: SignedTrigger, signed: SignedBody, body = signed.body) =>
  post(receiver.url, target.id, {
    body: new Uint8Array(Buffer.from(body)),
    headers: postHeaders(target, { url: receiver.url, ...signed }),
  });

const accepted = { status: 202, body: { received: true } };
const unauthorized = { status: 401, body: { error: 'missing or invalid webhook secret' } };
const storedOf = async ({ id }: { id: string }) => (await receiver.deliveries()).filter((row) => row.trigger_id === id);

describe("Slack's first post", () => {
  const body = JSON.stringify({ token: 'x', challenge: '3eZbrw1aB10', type: 'url_verification' });

  test('is answered with its challenge if it is signed, and is not stored as a delivery', async () => {
    const target = await receiver.newSignedTrigger({ kind: 'slack' }, own);
    const inputs = { event: { type: 'object', required: true } };
    await receiver.assign(target.id, { name: 'slack-events', inputs }, { event: 'payload.event' });
    expect(await send(target, { body })).toMatchObject({ status: 200, body: { challenge: '3eZbrw1aB10' } });
    expect(await send(target, { body }, `${body} `)).toMatchObject(unauthorized);
    expect(await storedOf(target)).toEqual([]);
    expect(await send(target, { body: '{"type":"event_callback","event":{}}' })).toMatchObject(accepted);
  });

  test('is an ordinary delivery for a trigger of another kind', async () => {
    const target = await receiver.newSignedTrigger({ kind: 'github' });
    expect(await send(target, { body })).toMatchObject(accepted);
  });
});

describe("Zoom's validation", () => {
  const bodyWith = (plainToken: string) =>
    JSON.stringify({ event: 'endpoint.url_validation', payload: { plainToken }, event_ts: 1 });

  test('gets its token signed with the secret that matched, and stores nothing (acceptance S.14)', async () => {
    const target = await receiver.newSignedTrigger({ kind: 'zoom' }, 'zoom-secret-token');
    const body = bodyWith('qgg8vlvZRS6UYooatFL8Aw');
    const answer = {
      plainToken: 'qgg8vlvZRS6UYooatFL8Aw',
      // This signature was created with openssl.
      encryptedToken: 'd9e0d764a78494688ba3f2d5c0ed4ca311394b4834d959759213424d2df961e3',
    };
    expect(await send(target, { body })).toMatchObject({ status: 200, body: answer });
    expect(await send(target, { body }, `${body} `)).toMatchObject(unauthorized);
    expect(await storedOf(target)).toEqual([]);
    const rotated = await receiver.rotate(target, 3_600_000, 'another-secret-token');
    await using fresh = await openReceiver(receiver.db.url, { signingKeys: receiver.signingKeys });
    const { plainToken } = answer;
    const encryptedToken = createHmac('sha256', rotated.secret).update(plainToken).digest('hex');
    for (const [sender, expected] of [
      [target, answer],
      [rotated, { plainToken, encryptedToken }],
    ] as const)
      expect(await post(fresh.url, target.id, { body, headers: postHeaders(sender, { body }) })).toMatchObject({
        status: 200,
        body: expected,
      });
  });

  test('gets no signature for a text that Zoom itself signs', async () => {
    const target = await receiver.newSignedTrigger({ kind: 'zoom' }, own);
    expect(await send(target, { body: bodyWith('v0:1700000000:{}') })).toMatchObject(accepted);
  });
});

describe("Meta's verification", () => {
  async function makeMeta(verifyToken?: string) {
    const context = { database: receiver.db.database };
    const given = { name: 'Meta', signature: { kind: 'meta' }, secret: own, verifyToken } as const;
    const made = await createTrigger(context, operatorActor(receiver.orgId, 'test'), given, receiver.signingKeys);
    return { id: made.trigger.id, verifyToken: made.verifyToken };
  }
  const get = (id: string, query: Record<string, string> | string, method = 'GET') =>
    fetch(`${receiver.url}/webhooks/trigger/${id}?${new URLSearchParams(query).toString()}`, { method });
  const asked = (token: string, challenge = '1158201444') => ({
    'hub.mode': 'subscribe',
    'hub.verify_token': token,
    'hub.challenge': challenge,
  });

  test('S.15: gets the challenge back with the verify token, and an empty 403 otherwise', async () => {
    const { id, verifyToken } = await makeMeta();
    const right = await get(id, asked(verifyToken!));
    expect([right.status, await right.text()]).toEqual([200, '1158201444']);
    expect(right.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const wrong = [
      asked('wrong-token-of-somebody'),
      asked(`${verifyToken}x`),
      asked(''),
      { ...asked(verifyToken!), 'hub.mode': 'unsubscribe' },
      asked(verifyToken!, '<script>\n</script>'),
      asked(verifyToken!, ''),
      {},
    ];
    for (const query of wrong) {
      const response = await get(id, query);
      expect([response.status, await response.text()], JSON.stringify(query)).toEqual([403, '']);
    }
    const twice = new URLSearchParams(asked('x')).toString() + `&hub.verify_token=${verifyToken}`;
    expect((await get(id, twice)).status).toBe(403);
    expect(await storedOf({ id })).toEqual([]);
  });

  test('S.15: the operator sees the refused check, and no token is logged or stored', async () => {
    const { id, verifyToken } = await makeMeta();
    await get(id, asked(verifyToken!));
    await get(id, asked('wrong-token-of-somebody'));
    const [refused] = await until(async () => {
      const found = await listRefusals(receiver.db.database, receiver.orgId, { limit: 10, triggerId: id });
      expect(found).toHaveLength(1);
      return found;
    });
    expect(refused).toMatchObject({ status: 403, reason: 'wrong_verify_token', body: null });
    const logged = logLines.join('\n');
    expect(logged).toContain('verifyTrigger');
    for (const token of ['wrong-token', verifyToken!]) expect(JSON.stringify(refused) + logged).not.toContain(token);
  });

  test('a verify token is stored as a hash, and can be given and replaced', async () => {
    const { id, verifyToken } = await makeMeta('given-token-4711');
    expect(verifyToken).toBeUndefined();
    expect((await get(id, asked('given-token-4711'))).status).toBe(200);
    const context = { database: receiver.db.database, bus: noopBus };
    await changeTrigger(context, operatorActor(receiver.orgId, 'test'), { id, verifyToken: 'another-token-4712' });
    await using fresh = await openReceiver(receiver.db.url, { signingKeys: receiver.signingKeys });
    const at = (token: string) =>
      fetch(`${fresh.url}/webhooks/trigger/${id}?${new URLSearchParams(asked(token)).toString()}`);
    expect([(await at('given-token-4711')).status, (await at('another-token-4712')).status]).toEqual([403, 200]);
  });

  test('is answered with 405 for every other kind of sender and every other method', async () => {
    const other = await receiver.newSignedTrigger({ kind: 'github' });
    const { id, verifyToken } = await makeMeta();
    for (const [target, method] of [
      [other.id, 'GET'],
      [crypto.randomUUID(), 'GET'],
      [id, 'HEAD'],
      [id, 'PUT'],
    ] as const)
      expect((await get(target, asked(verifyToken!), method)).status).toBe(405);
  });

  test('a verify token is refused for a kind of sender without one, and is not quoted', async () => {
    const context = { database: receiver.db.database, bus: noopBus };
    const actor = operatorActor(receiver.orgId, 'test');
    const made = { name: 'x', signature: { kind: 'github' }, verifyToken: 'token-of-nobody' } as const;
    const error: unknown = await createTrigger(context, actor, made, receiver.signingKeys).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'validation_error', details: [{ field: 'verifyToken' }] });
    expect(JSON.stringify(error)).not.toContain('token-of-nobody');
  });
});

test('a HEAD, with which Intercom checks the URL, is answered only for this kind of sender', async () => {
  const head = (id: string) => fetch(`${receiver.url}/webhooks/trigger/${id}`, { method: 'HEAD' });
  const { id } = await receiver.newSignedTrigger({ kind: 'intercom' }, 'a-client-secret-4711');
  const response = await head(id);
  expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '0', '']);
  expect((await fetch(`${receiver.url}/webhooks/trigger/${id}`)).status).toBe(405);
  const others = [(await receiver.newSignedTrigger({ kind: 'github' })).id, crypto.randomUUID()];
  for (const other of others) expect((await head(other)).status).toBe(405);
  expect(await storedOf({ id })).toEqual([]);
});

test('a repeated Svix post is recognized, even with other unsigned `webhook-` headers', async () => {
  const target = await receiver.newSignedTrigger({ kind: 'standard-webhooks' });
  const signed = Object.entries(postHeaders(target, { body: '{}' }));
  const svix = Object.fromEntries(signed.map(([name, value]) => [name.replace('webhook-', 'svix-'), value]));
  for (const more of [{}, { 'webhook-id': 'other' }, { 'webhook-id': 'third', 'webhook-timestamp': '1' }])
    expect(await post(receiver.url, target.id, { body: '{}', headers: { ...svix, ...more } })).toMatchObject(accepted);
  const stored = await storedOf(target);
  expect(stored).toHaveLength(1);
  expect(JSON.stringify(stored[0]!.headers)).not.toContain('signature');
});

test.each(['webhook-', 'svix-'])(
  'a repeated post with %sid is recognized by a trigger without a repeat key, even if an Idempotency-Key is added',
  async (family) => {
    const target = await receiver.newSignedTrigger({ kind: 'standard-webhooks' });
    const context = { database: receiver.db.database, bus: noopBus };
    await changeTrigger(context, operatorActor(receiver.orgId, 'test'), { id: target.id, repeatKey: null });
    const signed = Object.entries(postHeaders(target, { body: '{}' }));
    const headers = Object.fromEntries(signed.map(([name, value]) => [name.replace('webhook-', family), value]));
    for (const added of [{}, {}, { 'idempotency-key': 'a' }, { 'idempotency-key': 'b' }])
      expect(await post(receiver.url, target.id, { body: '{}', headers: { ...headers, ...added } })).toMatchObject(
        accepted,
      );
    expect(await storedOf(target)).toHaveLength(1);
  },
);
