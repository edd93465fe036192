import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { findCaller, hashCredential, CallerCache } from '@relata/auth';
import { keyChanged, Messaging } from '@relata/messaging';
import { scopeNames } from '@relata/schemas';
import { expectWithin, listen, until } from '@relata/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { natsUrl, setUpCli } from '../../cli.harness.ts';

const cli = setUpCli();
let org: string;

beforeAll(async () => {
  org = (await cli.json('orgs', 'create', 'Acme')).id;
});

const makeKey = (...options: string[]) =>
  cli.json('keys', 'create', '--org', org, '--scope', 'records:read', ...options);

const callerOf = (key: string) => findCaller(cli.database(), hashCredential(key));

async function listed(id: string) {
  return (await cli.json('keys', 'list', '--org', org)).find((key: { id: string }) => key.id === id);
}

describe('create', () => {
  test('a new key works and is shown once', async () => {
    const made = await makeKey('--scope', 'webhook', '--name', 'Importer');
    expect(made).toMatchObject({ kind: 'secret', name: 'Importer', org_id: org, scopes: ['records:read', 'webhook'] });
    expect(await callerOf(made.key)).toMatchObject({ keyId: made.id, orgId: org });
    const { stdout } = await cli.run(['keys', 'list', '--org', org, '--json']);
    expect(stdout).toContain(made.id);
    expect(stdout).not.toContain(made.key);
  });

  test('the text output says that the key is shown only once', async () => {
    const { stdout } = await cli.run(['keys', 'create', '--org', org, '--scope', 'chat']);
    expect(stdout).toMatch(/^key +relata_sk_\w{38}$/m);
    expect(stdout).toContain('shown only once');
  });

  test('the error for an unknown or missing scope lists the scopes', async () => {
    for (const given of [['--scope', 'chat', '--scope', 'admin'], []]) {
      const { code, error, message } = await cli.fault('keys', 'create', '--org', org, ...given);
      expect({ code, error }).toEqual({ code: 2, error: 'validation_error' });
      for (const scope of scopeNames) expect(message).toContain(scope);
    }
  });

  test('a key expires after a duration or at an instant', async () => {
    const { expires_at: after } = await makeKey('--expires', '90d');
    expect(Math.abs(Date.parse(after) - Date.now() - 90 * 86_400_000)).toBeLessThan(60_000);
    const { expires_at: at } = await makeKey('--expires', '2999-01-31T01:00:00+01:00');
    expect(at).toBe('2999-01-31T00:00:00.000Z');
  });

  test.each(['2020-01-01T00:00:00Z', '0s', 'tomorrow', '2999-01-01', '999999999d', ''])(
    'refuses %j as an expiry',
    async (when) => {
      const { code, message } = await cli.fault('keys', 'create', '--org', org, '--scope', 'chat', '--expires', when);
      expect({ code, message }).toMatchObject({ code: 2, message: expect.stringContaining('--expires') });
    },
  );

  test('a publishable key has the scope chat, and works only from its origins', async () => {
    const origins = ['https://example.com', 'http://localhost:3000'];
    const given = origins.flatMap((origin) => ['--origin', origin]);
    const made = await cli.json('keys', 'create', '--org', org, '--publishable', ...given);
    expect(made).toMatchObject({ kind: 'publishable', scopes: ['chat'], origins });
    expect(made.key).toMatch(/^relata_pk_/);
  });

  test.each([
    ['without an origin', ['--publishable'], '--origin'],
    [
      'with another scope',
      ['--publishable', '--origin', 'https://example.com', '--scope', 'records:read'],
      'only the scope chat',
    ],
    [
      'with the URL of a page as its origin',
      ['--publishable', '--origin', 'https://example.com/chat'],
      'mean https://example.com?',
    ],
    ['with an origin without https://', ['--publishable', '--origin', 'example.com'], 'bare origin'],
    ['with an origin, but not publishable', ['--scope', 'chat', '--origin', 'https://example.com'], '--publishable'],
  ])('a key %s is refused', async (_what, given, said) => {
    const { code, message } = await cli.fault('keys', 'create', '--org', org, ...given);
    expect({ code, message }).toEqual({ code: 2, message: expect.stringContaining(said) });
  });
});

describe('revoke', () => {
  test('a revocation is published over NATS, and a running service refuses the key at once', async () => {
    await using messaging = new Messaging({ url: natsUrl(), name: 'test' });
    const onError = (error: unknown) => expect.fail(String(error));
    await using callerCache = new CallerCache({ db: cli.database(), messaging, onError });
    const told: string[] = [];
    messaging.subscribe(keyChanged, ({ hash }) => void told.push(hash));
    await messaging.connected(60_000);
    const { id, key } = await makeKey();
    expect(await callerCache.identify(key)).toMatchObject({ keyId: id });
    const revoked = await cli.json('keys', 'revoke', id);
    expect(revoked).toMatchObject({ id, revoked_at: expect.any(String) });
    expect(revoked).not.toHaveProperty('key_hash');
    await until(() => expect(told).toContain(hashCredential(key)));
    expect(await callerCache.identify(key)).toBeUndefined();
  });

  test('a revocation succeeds without NATS, with a warning that says when it takes effect', async () => {
    const { id, key } = await makeKey();
    const { code, stdout, stderr } = await cli.run(['keys', 'revoke', id, '--json'], {
      NATS_URL: 'nats://127.0.0.1:1',
    });
    expect({ code, id: JSON.parse(stdout).id }).toEqual({ code: 0, id });
    expect(stderr).toContain('within 5 seconds');
    expect(await callerOf(key)).toBeUndefined();
  });

  test('a revocation ends even if NATS accepts the connection and never answers', async () => {
    const silent = createServer(() => undefined);
    const NATS_URL = `nats://127.0.0.1:${(await listen(silent)).port}`;
    await expectWithin(8_000, async () => {
      const { id } = await makeKey();
      const { code, stderr } = await cli.run(['keys', 'revoke', id, '--json'], { NATS_URL });
      expect(code).toBe(0);
      expect(stderr).toContain('within 5 seconds');
    });
    silent.close();
  });

  test('a second revocation changes nothing', async () => {
    const { id } = await makeKey();
    const first = await cli.json('keys', 'revoke', id);
    expect(await cli.json('keys', 'revoke', id)).toEqual(first);
  });

  test('an unknown key is not found, nor is a key of an organization other than that of --org', async () => {
    const { id } = await makeKey();
    const { id: globex } = await cli.json('orgs', 'create', 'Globex');
    expect(await cli.fault('keys', 'revoke', org)).toMatchObject({ code: 3, error: 'not_found' });
    expect(await cli.fault('keys', 'revoke', id, '--org', globex)).toMatchObject({ code: 3, error: 'not_found' });
    expect(await listed(id)).toMatchObject({ revoked_at: null });
  });
});

describe('rotate', () => {
  test('a rotation without an overlap ends the old key at once', async () => {
    const old = await makeKey('--name', 'Importer');
    const made = await cli.json('keys', 'rotate', old.id);
    expect(made).toMatchObject({ name: 'Importer', scopes: old.scopes, expires_at: null, replaces: { id: old.id } });
    expect(made.key).not.toBe(old.key);
    expect(await callerOf(made.key)).toMatchObject({ keyId: made.id });
    expect(Date.parse((await callerOf(old.key))!.expiresAt!)).toBeLessThanOrEqual(Date.now());
  });

  test('a rotation with an overlap keeps the old key valid until the overlap ends', async () => {
    await using messaging = new Messaging({ url: natsUrl(), name: 'test' });
    await using callerCache = new CallerCache({ db: cli.database(), messaging, onError: () => undefined });
    await messaging.connected(60_000);
    // If the machine stalls, the overlap may be over before the old key is checked. Then the test tries again.
    const { old, made } = await until(async () => {
      const first = await makeKey();
      await callerCache.identify(first.key);
      const second = await cli.json('keys', 'rotate', first.id, '--overlap', '3s');
      expect(await callerCache.identify(second.key)).toMatchObject({ keyId: second.id });
      expect(await callerCache.identify(first.key)).toMatchObject({ keyId: first.id });
      return { old: first, made: second };
    });
    await pause(Date.parse(made.replaces.expires_at) - Date.now() + 50);
    expect(await callerCache.identify(old.key)).toBeUndefined();
  });

  test('a rotation gives the new key the lifetime of the old one, or the given expiry', async () => {
    const day = 86_400_000;
    const old = await makeKey('--expires', '30d');
    const { expires_at: same } = await cli.json('keys', 'rotate', old.id, '--overlap', '1h');
    expect(Math.abs(Date.parse(same) - Date.now() - 30 * day)).toBeLessThan(60_000);
    const { expires_at: named } = await cli.json('keys', 'rotate', (await makeKey()).id, '--expires', '7d');
    expect(Math.abs(Date.parse(named) - Date.now() - 7 * day)).toBeLessThan(60_000);
  });

  test('a rotation of a revoked or expired key is refused and creates no key', async () => {
    const { id } = await makeKey();
    await cli.json('keys', 'revoke', id);
    const before = await cli.json('keys', 'list', '--org', org);
    expect(await cli.fault('keys', 'rotate', id)).toMatchObject({
      code: 1,
      error: 'conflict',
      message: expect.stringContaining('revoked'),
    });
    const { id: rotated } = await makeKey();
    await cli.json('keys', 'rotate', rotated);
    expect(await cli.fault('keys', 'rotate', rotated)).toMatchObject({
      code: 1,
      message: expect.stringContaining('expired'),
    });
    expect(await cli.json('keys', 'list', '--org', org)).toHaveLength(before.length + 2);
  });

  test.each(['soon', '366d', '-1h'])('a rotation refuses an overlap of %s', async (overlap) => {
    expect(await cli.fault('keys', 'rotate', org, '--overlap', overlap)).toMatchObject({
      code: 2,
      error: 'validation_error',
    });
  });
});
