import { statement } from '@relata/db';
import { noopBus, operatorActor } from '@relata/events';
import { findSignatureKind, signPost, type SignatureSpec } from '@relata/signatures';
import { until } from '@relata/testing';
import { createTrigger, rotateTriggerSecret } from '@relata/workflows';
import { findRefusedPost, listRefusals } from '@relata/workflows/deliveries';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openReceiver, startReceiver } from '../webhook-ingest.harness.ts';

let receiver: Awaited<ReturnType<typeof startReceiver>>;
const logLines: string[] = [];
// SIGNING_KEYS is not needed, since only hashes of these secrets are stored.
beforeAll(
  async () => void (receiver = await startReceiver({ rateLimit: { points: 20, windowMs: 600_000 }, logLines })),
);
afterAll(() => receiver[Symbol.asyncDispose]());

const specs: SignatureSpec[] = [
  { kind: 'basic', options: { user: 'ada' } },
  { kind: 'bearer' },
  { kind: 'header', options: { header: 'x-acme-door' } },
  { kind: 'query', options: { parameter: 'door' } },
];
const given = 'a-secret-that-is-repeated-4711';
const unauthorized = { status: 401, body: { error: 'missing or invalid webhook secret' } };

async function make(signature: SignatureSpec, secret?: string) {
  const context = { database: receiver.db.database };
  return createTrigger(context, operatorActor(receiver.orgId, 'test'), { name: 'Form', signature, secret });
}

interface Sent {
  secret: string;
  body?: string;
  base?: string;
  headers?: Record<string, string>;
}

async function send(spec: SignatureSpec, id: string, { secret, body = '{"a":1}', base = receiver.url, headers }: Sent) {
  const to = `${base}/webhooks/trigger/${id}`;
  const proof = signPost(findSignatureKind(spec), { secret, url: to, body: Buffer.from(body), id: '', nowMs: 0 });
  const response = await fetch(proof.url, { method: 'POST', body, headers: { ...headers, ...proof.headers } });
  return { status: response.status, body: (await response.json()) as unknown, vary: response.headers.get('vary') };
}

const dumped = statement<{ row: string }>(
  'test.dump_of_repeated',
  `SELECT row_to_json(t)::text AS row FROM webhook_triggers t UNION ALL
   SELECT row_to_json(s)::text FROM webhook_trigger_secrets s UNION ALL
   SELECT row_to_json(d)::text FROM webhook_deliveries d UNION ALL
   SELECT row_to_json(r)::text FROM webhook_refusals r UNION ALL
   SELECT row_to_json(e)::text FROM events e`,
);

describe.for(specs)('a sender of the kind $kind', (spec) => {
  test('may post lists and forms of up to 5 MB, and its posts are stored even if an input is missing', async () => {
    const { trigger, secret } = await make(spec);
    const inputs = { email: { type: 'string', required: true } };
    await receiver.assign(trigger.id, { name: `any-${spec.kind}`, inputs }, { email: 'payload.email' });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const bodies = ['[1]', 'email=a%40b.example', `{"a":"${'x'.repeat(5_242_872)}"}`];
    const responses = bodies.map((body) => send(spec, trigger.id, { secret: secret!, body, headers: form }));
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([202, 202, 202]);
    const large = `{"a":"${'x'.repeat(5_242_873)}"}`;
    expect(await send(spec, trigger.id, { secret: secret!, body: large })).toMatchObject({ status: 413 });
  });

  test('is accepted only with its secret, which is shown once', async () => {
    const { trigger, secret } = await make(spec);
    expect(trigger).toMatchObject({ mode: 'signature', secret_last_four: secret!.slice(-4) });
    const response = await send(spec, trigger.id, { secret: secret!, headers: { 'x-event': 'e' } });
    expect(response).toMatchObject({ status: 202, body: { received: true } });
    const headers = { basic: 'authorization', bearer: 'authorization', header: 'x-acme-door' };
    expect(response.vary).toBe(headers[spec.kind as keyof typeof headers] ?? 'X-Webhook-Secret');
    const other = secret!.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expect(await send(spec, trigger.id, { secret: other })).toMatchObject(unauthorized);
    const plain = await fetch(`${receiver.url}/webhooks/trigger/${trigger.id}`, {
      method: 'POST',
      body: '{}',
      headers: { 'x-webhook-secret': secret! },
    });
    expect(plain.status).toBe(401);
    expect((await fetch(`${receiver.url}/webhooks/trigger/${trigger.id}`, { method: 'POST' })).status).toBe(401);
    const [stored, ...others] = (await receiver.deliveries()).filter((row) => row.trigger_id === trigger.id);
    expect(others).toEqual([]);
    expect(stored!.headers).toMatchObject({ 'x-event': 'e' });
  });

  test('S.9: its secret appears neither in the database nor in the log, for any name of its header', async () => {
    const { trigger, secret: shown } = await make(spec, given);
    expect(shown).toBeUndefined();
    expect(await send(spec, trigger.id, { secret: given })).toMatchObject({ status: 202 });
    await send(spec, trigger.id, { secret: `${given}-wrong`, body: '{}' });
    const dump = JSON.stringify(await receiver.db.owner.query(dumped, []));
    expect(dump).toContain(trigger.id);
    const logged = logLines.join('\n');
    expect(logged).toContain(`"path":"/webhooks/trigger/${trigger.id}"`);
    for (const text of [given, Buffer.from(`ada:${given}`).toString('base64')])
      expect(dump + logged).not.toContain(text);
  });

  test('a rotated secret stays valid for its overlap', async () => {
    const { trigger, secret: first } = await make(spec);
    const rotation = { id: trigger.id, overlapMs: 3_600_000 };
    const context = { database: receiver.db.database, bus: noopBus };
    const { secret: second } = await rotateTriggerSecret(context, operatorActor(receiver.orgId, 'test'), rotation);
    await using fresh = await openReceiver(receiver.db.url);
    for (const secret of [first!, second!])
      expect(await send(spec, trigger.id, { secret, base: fresh.url })).toMatchObject({ status: 202 });
  });

  test('equal bodies are two deliveries, because they are not signed', async () => {
    const { trigger, secret } = await make(spec);
    for (let i = 0; i < 2; i++)
      expect(await send(spec, trigger.id, { secret: secret! })).toMatchObject({ status: 202 });
    expect((await receiver.deliveries()).filter((row) => row.trigger_id === trigger.id)).toHaveLength(2);
  });
});

test('a header in which a proxy repeats the URL with the secret is not stored, neither with a delivery nor with a refused post', async () => {
  const spec = { kind: 'query', options: { parameter: 'door' } } as const;
  const secret = 'a+secret/of 100% & more';
  const { trigger } = await make(spec, secret);
  const path = `/webhooks/trigger/${trigger.id}`;
  const headers = {
    'x-waws-unencoded-url': `${path}?${new URLSearchParams({ door: secret }).toString()}`,
    'x-acme-url': `${path}?door=${encodeURIComponent(secret).toLowerCase()}&a=%ff`,
    'x-acme-raw': `${path}?door=${secret}`,
    'x-acme-target': encodeURIComponent(`${path}?door=${encodeURIComponent(secret)}`),
    'x-acme-event': '100%',
  };
  expect(await send(spec, trigger.id, { secret, headers })).toMatchObject({ status: 202 });
  expect(await send(spec, trigger.id, { secret, headers, body: '[' })).toMatchObject({ status: 400 });
  const stored = (await receiver.deliveries()).find((row) => row.trigger_id === trigger.id);
  const [listed] = await until(async () => {
    const found = await listRefusals(receiver.db.database, receiver.orgId, { limit: 10, triggerId: trigger.id });
    expect(found).toHaveLength(1);
    return found;
  });
  const refused = await findRefusedPost(receiver.db.database, receiver.orgId, listed!.id);
  for (const kept of [stored!.headers, refused!.headers!])
    expect(Object.entries(kept).filter(([name]) => name.startsWith('x-'))).toEqual([['x-acme-event', '100%']]);
});

test('a short secret is refused, because its hash would not hide it', async () => {
  await expect(make({ kind: 'bearer' }, 'too-short')).rejects.toMatchObject({
    details: [{ field: 'secret', code: 'invalid_format', message: expect.stringContaining('16') }],
  });
});

test('the secret is checked before the body and the limit', async () => {
  const { trigger, secret } = await make({ kind: 'bearer' });
  const bearer = { kind: 'bearer' } as const;
  expect(await send(bearer, trigger.id, { secret: 'x'.repeat(20), body: '[' })).toMatchObject(unauthorized);
  expect(await send(bearer, trigger.id, { secret: secret!, body: '{"a"' })).toMatchObject({ status: 400 });
  for (let i = 0; i < 20; i++) await send(bearer, trigger.id, { secret: secret! });
  expect(await send(bearer, trigger.id, { secret: secret! })).toMatchObject({ status: 429 });
  expect(await send(bearer, trigger.id, { secret: 'x'.repeat(20) })).toMatchObject(unauthorized);
});
