import { createOrganization } from '@relata/auth';
import { signingSettings } from '@relata/secrets/settings';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser, joinAs } from './console-client.harness.ts';
import { startTestConsole, type TestConsole } from './console.harness.ts';
import { Examples } from './examples.harness.ts';

const signingKeys = signingSettings.SIGNING_KEYS.parse('k'.repeat(43) + '=')!;

let served: TestConsole;
let acme: Examples;
let admin: Browser;
let triggers: string;

beforeAll(async () => {
  served = await startTestConsole({ signingKeys });
  acme = new Examples(served.db, (await createOrganization(served.db.database, 'Acme')).id);
  admin = new Browser(served.url, await joinAs(served.db, acme.orgId, 'admin', 'admin@acme.example'));
  triggers = `/orgs/${acme.orgId}/triggers`;
});
afterAll(() => served[Symbol.asyncDispose]());

const fieldsOf = (response: { body: { details?: { field: string }[] } }) =>
  response.body.details?.map(({ field }) => field);

test('a trigger of each kind shows its secret once if we generate it, and otherwise requires it', async () => {
  const { data: senders, is_ready } = (await admin.get(`/orgs/${acme.orgId}/senders`)).body;
  expect(is_ready).toBe(true);
  for (const { kind, makes_secret, options, repeat_key, setup } of senders) {
    const steps: string[] = setup.map(({ shows }: { shows?: string }) => shows);
    expect(steps, kind).toEqual(expect.arrayContaining(['url', makes_secret ? 'sender_secret' : 'secret']));
    const required = options.filter(({ is_required }: { is_required: boolean }) => is_required);
    const given = Object.fromEntries(required.map(({ name }: { name: string }) => [name, 'x-proof']));
    const body = { name: kind, signature: kind, ...given };
    const bare = await admin.post(triggers, body);
    const { secret, trigger } = bare.body.data ?? {};
    const shown = [bare.status, fieldsOf(bare), typeof secret, trigger?.repeat_key];
    const needsOne = [400, ['secret'], 'undefined', undefined];
    expect(shown, kind).toEqual(makes_secret ? needsOne : [201, undefined, 'string', repeat_key]);
  }
  const following = await admin.post(triggers, { name: 'Later', signature: 'stripe', secret_follows: true });
  expect([following.status, following.body.data.secret]).toEqual([201, null]);
  expect(following.body.data.trigger.secrets).toMatchObject([{ last_four: null, is_placeholder: true }]);
  for (const secret of ['8letters', 'fifteen-letters']) {
    const short = await admin.post(triggers, {
      name: 'Short',
      signature: 'stripe',
      secret: `whsec_${secret}`.slice(0, 15),
    });
    expect(short.body.data.trigger.secrets).toMatchObject([{ last_four: null, is_placeholder: false }]);
  }
  const given = await admin.post(triggers, { name: 'Stripe', signature: 'stripe', secret: 'whsec_0123456789' });
  expect(given.body.data).toMatchObject({ secret: null, trigger: { mode: 'signature', repeat_key: 'payload.id' } });
  expect(given.text).not.toContain('whsec_0123456789');
  const other = await admin.post(triggers, { name: 'GitHub', signature: 'github', repeat_key: 'payload.n' });
  expect(other.body.data.trigger.repeat_key).toBe('payload.n');
});

test('each kind asks for the options that it declares, with their values', async () => {
  const { data } = (await admin.get(`/orgs/${acme.orgId}/senders`)).body;
  const options = Object.fromEntries(
    data.map(({ kind, options }: { kind: string; options: object[] }) => [kind, options]),
  );
  expect(options).toMatchObject({
    github: [],
    bearer: [],
    basic: [{ name: 'user', is_required: false, choices: [], default: 'relata' }],
    header: [{ name: 'header', is_required: true }],
    query: [{ name: 'parameter', is_required: true }],
  });
  expect(options['hmac'].map(({ name }: { name: string }) => name)).toEqual([
    'header',
    'algorithm',
    'encoding',
    'prefix',
    'template',
    'timestamp_header',
    'id_header',
    'time_part',
    'signature_part',
  ]);
  expect(options['hmac']).toContainEqual(
    expect.objectContaining({ name: 'algorithm', choices: ['sha256', 'sha1', 'sha512'], default: 'sha256' }),
  );
});

test('a secret that requests contain is shown with an example request, and the options stay visible', async () => {
  const made = await admin.post(triggers, { name: 'Old shop', signature: 'query', parameter: 'Token' });
  const { secret, post, trigger } = made.body.data;
  expect(trigger).toMatchObject({
    sender: { maker: 'Secret in the URL', is_signed: false },
    signature_options: { parameter: 'Token' },
  });
  expect(post).toEqual({ url: `${served.url}${trigger.url}?Token=${secret}`, headers: {} });
  const rotated = await admin.post(`${triggers}/${trigger.id}/rotate`, { overlap_seconds: 0 });
  expect(rotated.body.data.post.url).toContain(`?Token=${rotated.body.data.secret}`);
  const signed = await admin.post(triggers, { name: 'GitHub', signature: 'github' });
  expect(signed.body.data.post).toBeNull();
});

test("a maker's verify token is shown once and can be replaced; other senders have none", async () => {
  const made = await admin.post(triggers, { name: 'Meta', signature: 'meta', secret_follows: true });
  const { trigger, secret, verify_token: token } = made.body.data;
  expect([secret, typeof token]).toEqual([null, 'string']);
  const path = `${triggers}/${trigger.id}`;
  const replaced = await admin.post(`${path}/verify-token`);
  expect(replaced.status).toBe(201);
  expect(replaced.body.data.verify_token).not.toBe(token);
  expect((await admin.get(path)).text).not.toContain(replaced.body.data.verify_token);
  const other = await admin.post(triggers, { name: 'GitHub', signature: 'github' });
  expect((await admin.post(`${triggers}/${other.body.data.trigger.id}/verify-token`)).status).toBe(409);
});

test('problems of signature settings are reported at their fields', async () => {
  const hmac = { name: 'Own', signature: 'hmac' };
  const faults: [body: object, fields: string[]][] = [
    [{ ...hmac }, ['header']],
    [{ ...hmac, header: 'Authorization', algorithm: 'md5' }, ['header', 'algorithm']],
    [{ ...hmac, header: 'x-s', template: '{timestamp}.{body}' }, ['timestamp_header']],
    [
      { ...hmac, header: 'x-s', template: '{id}.{body}', time_part: 't' },
      ['timestamp_header', 'signature_part', 'id_header'],
    ],
    [{ name: 'Own', signature: 'basic', user: 'a:b' }, ['user']],
    [{ name: 'Own', signature: 'query' }, ['parameter']],
    [{ name: 'Own', signature: 'nonsense' }, ['signature']],
    [{ name: 'Own', secret: 'of nobody 123' }, ['secret']],
    [{ name: 'Own', signature: 'github', key_id: await acme.key() }, ['key_id']],
    [{ name: 'Own', signature: 'github', repeat_key: 'payload.' }, ['repeat_key']],
  ];
  for (const [body, fields] of faults)
    expect(fieldsOf(await admin.post(triggers, body)), JSON.stringify(body)).toEqual(fields);
});

test("a sender's secret is rotated with an overlap, in which both are shown by their endings", async () => {
  const made = await admin.post(triggers, { name: 'GitHub', signature: 'github' });
  const path = `${triggers}/${made.body.data.trigger.id}`;
  const rotated = await admin.post(`${path}/rotate`, { overlap_seconds: 3_600 });
  expect(rotated.body.data.secret).not.toBe(made.body.data.secret);
  const given = await admin.post(`${path}/rotate`, { overlap_seconds: 3_600, secret: 'chosen by its sender' });
  expect(given.body.data.secret).toBeNull();
  const { secrets } = given.body.data.trigger;
  expect(secrets.map((secret: { expires_at: string | null }) => secret.expires_at !== null)).toEqual([
    false,
    true,
    true,
  ]);
  expect(fieldsOf(await admin.post(`${path}/rotate`, { overlap_seconds: 0, secret: 'short' }))).toEqual(['secret']);
  const own = await acme.emptyTrigger();
  const refused = await admin.post(`${triggers}/${own}/rotate`, { overlap_seconds: 0, secret: 'chosen by its sender' });
  expect(fieldsOf(refused)).toEqual(['secret']);
});

test('a key with the scope webhook can replace a secret; one without it, or for a signing sender, is refused', async () => {
  const id = await acme.emptyTrigger();
  const key_id = await acme.key();
  const selected = await admin.post(`${triggers}/${id}/select-key`, { key_id });
  expect(selected.body.data).toMatchObject({ mode: 'shared', key: { id: key_id }, secrets: [] });
  const { id: unfit } = (
    await admin.post(`/orgs/${acme.orgId}/keys`, { kind: 'secret', name: 'Reads', scopes: ['records:read'] })
  ).body.data.key;
  const refused = await admin.post(`${triggers}/${id}/select-key`, { key_id: unfit });
  expect([refused.status, fieldsOf(refused)]).toEqual([400, ['key_id']]);
  expect(refused.text).toContain('lacks the scope webhook');
  const signed = await admin.post(triggers, { name: 'GitHub', signature: 'github' });
  const conflict = await admin.post(`${triggers}/${signed.body.data.trigger.id}/select-key`, { key_id });
  expect(conflict.status).toBe(409);
});

test('without SIGNING_KEYS no signing sender can be stored, and the response says so', async () => {
  await using other = await served.startReplica({ signingKeys: undefined });
  const there = new Browser(other.url, admin.cookie);
  expect((await there.get(`/orgs/${acme.orgId}/senders`)).body.is_ready).toBe(false);
  const refused = await there.post(triggers, { name: 'GitHub', signature: 'github' });
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('SIGNING_KEYS')]);
});
