import { connect } from 'node:net';
import { createOrganization, hashCredential } from '@relata/auth';
import { statement } from '@relata/db';
import { until } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  Browser,
  goodPassword,
  joinAs,
  localLink,
  newEmail,
  signedIn,
  untilWaiting,
} from './console-client.harness.ts';
import { startTestConsole, type TestConsole } from './console.harness.ts';

let served: TestConsole;
let orgId: string;
beforeAll(async () => {
  // The console trusts one proxy, so that each test can choose its own IP address.
  served = await startTestConsole({ proxies: 1 });
  orgId = (await createOrganization(served.db.database, 'Acme')).id;
});
afterAll(() => served[Symbol.asyncDispose]());

let addresses = 0;
const newIp = () => `198.51.${Math.floor(++addresses / 250)}.${addresses % 250}`;

/** Creates a person of the organization, as a viewer. */
async function newPerson(): Promise<string> {
  const email = newEmail();
  await joinAs(served.db, orgId, 'viewer', email);
  return email;
}

/** Tries to sign in from an address. */
function signIn(email: string, password: string, ip = newIp(), more: Record<string, string> = {}) {
  const browser = new Browser(served.url);
  const headers = { 'X-Forwarded-For': ip, ...more };
  return browser.send('POST', '/console/api/sign-in', { body: { email, password }, headers });
}

describe('sign-in', () => {
  test('unfinished bodies from many addresses leave room for people who sign in', async () => {
    const email = await newPerson();
    const { hostname, port } = new URL(served.url);
    const responses: string[] = [];
    using stack = new DisposableStack();
    for (let at = 0; at < 16; at++) {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      stack.defer(() => socket.destroy());
      socket.setEncoding('latin1').once('data', (text: string) => responses.push(text.slice(9, 12)));
      const head = ['POST /console/api/sign-in HTTP/1.1', 'Host: x', `X-Forwarded-For: ${newIp()}`];
      const more = ['Sec-Fetch-Site: same-origin', 'Content-Type: application/json', 'Content-Length: 1048576'];
      socket.write([...head, ...more, '', '{'].join('\r\n'));
    }
    await until(() => expect(responses).toHaveLength(8));
    expect(new Set(responses)).toEqual(new Set(['503']));
    expect((await signIn(email, goodPassword)).status).toBe(200);
  });

  test('a wrong password and an unknown e-mail address get the same response in the same time (acceptance 3)', async () => {
    const email = await newPerson();
    const wrong = await signIn(email, 'wrong horse battery');
    const unknown = await signIn(newEmail(), 'wrong horse battery');
    expect([wrong.status, unknown.status]).toEqual([403, 403]);
    expect({ ...wrong.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
    let ratio = Infinity;
    // Other processes may slow down one of the two requests. A real leak would show in every round.
    for (let round = 0; round < 3 && !(ratio > 0.8 && ratio < 1.25); round++) ratio = await timesOf();
    expect(ratio).toBeGreaterThan(0.8);
    expect(ratio).toBeLessThan(1.25);
  });

  async function timesOf(): Promise<number> {
    // Each round has its own people, because too many attempts at one person are refused before the password is
    // checked.
    const people = await Promise.all(Array.from({ length: 3 }, newPerson));
    const times: [known: number[], unknown: number[]] = [[], []];
    for (let i = 0; i < 20; i++) {
      for (const [at, email] of [people[i % people.length]!, newEmail()].entries()) {
        const startedAt = performance.now();
        await signIn(email, 'wrong horse battery');
        times[at]!.push(performance.now() - startedAt);
      }
    }
    const [known, unknown] = times.map((each) => each.toSorted((a, b) => a - b)[10]!);
    return known! / unknown!;
  }

  test('the 11th attempt from an address within a minute is refused with the time to wait (acceptance 3)', async () => {
    const [email, ip] = [await newPerson(), newIp()];
    for (let i = 0; i < 10; i++) expect((await signIn(email, goodPassword, ip)).status).toBe(200);
    const refused = await signIn(email, goodPassword, ip);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await signIn(email, goodPassword)).status).toBe(200);
  });

  test.each(['', '\u0000', `${'x'.repeat(2_000)}`])(
    '%j is neither an address nor a password: 400 or 403',
    async (text) => {
      expect([400, 403]).toContain((await signIn(text, goodPassword)).status);
      expect([400, 403]).toContain((await signIn(await newPerson(), text)).status);
    },
  );
});

describe('the cookie (acceptance 4)', () => {
  test('cannot be read by scripts or sent by other sites', async () => {
    const { headers } = await signIn(await newPerson(), goodPassword);
    const [session, browser] = headers.getSetCookie();
    expect(session).toMatch(/^relata_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/);
    expect(browser).toMatch(/^relata_browser=[\w.-]{100,}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Strict$/);
  });

  test('is limited to this host over https, and never sent unencrypted', async () => {
    const https = { 'X-Forwarded-Proto': 'https' };
    const email = await newPerson();
    const { headers } = await signIn(email, goodPassword, newIp(), https);
    const [cookie, known] = headers.getSetCookie();
    expect(cookie).toMatch(
      /^__Host-relata_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(known).toMatch(/^__Host-relata_browser=[^;]+; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Strict; Secure$/);
    const browser = new Browser(served.url, cookie!.split(';')[0]);
    expect((await browser.send('GET', '/console/api/me', { headers: https })).status).toBe(200);
    expect((await browser.get('/me')).status).toBe(401);
  });
});

describe('sessions', () => {
  const browserOf = async (email: string) => new Browser(served.url, await signedIn(served.db, email));

  test('"end all other sessions" ends another browser with its next request (acceptance 6)', async () => {
    const email = await newPerson();
    const [mine, other] = [await browserOf(email), await browserOf(email)];
    expect((await other.get('/me')).status).toBe(200);
    const { data } = (await mine.get('/me/sessions')).body;
    expect(data.filter((session: { is_current: boolean }) => session.is_current)).toHaveLength(1);
    // The sessions of the invitation and of both browsers.
    expect((await mine.post('/me/sessions/end-others')).body).toEqual({ data: { ended: 2 } });
    expect([(await other.get('/me')).status, (await mine.get('/me')).status]).toEqual([401, 200]);
  });

  test("nobody can end another person's session", async () => {
    const [mine, theirs] = [await browserOf(await newPerson()), await browserOf(await newPerson())];
    const { id } = (await theirs.get('/me')).body.data.session;
    expect((await mine.post(`/me/sessions/${id}/end`)).status).toBe(404);
    expect((await theirs.get('/me')).status).toBe(200);
  });

  test('signing out ends the session, and removes the cookie', async () => {
    const browser = await browserOf(await newPerson());
    const { cookie } = browser;
    const response = await browser.post('/sign-out');
    expect(response.headers.get('set-cookie')).toMatch(/^relata_session=; Path=\/; Max-Age=0; /);
    expect((await new Browser(served.url, cookie).get('/me')).status).toBe(401);
  });

  test("signing in again ends the browser's previous session", async () => {
    const email = await newPerson();
    const browser = await browserOf(email);
    const { cookie } = browser;
    const headers = { 'X-Forwarded-For': newIp() };
    const body = { email, password: goodPassword };
    expect((await browser.send('POST', '/console/api/sign-in', { body, headers })).status).toBe(200);
    expect(browser.cookie).not.toBe(cookie);
    expect((await new Browser(served.url, cookie).get('/me')).status).toBe(401);
  });

  test.each(['seen_at', 'expires_at', 'ended_at'])('a session that is too old by %s has ended', async (column) => {
    const browser = await browserOf(await newPerson());
    const { id } = (await browser.get('/me')).body.data.session;
    const age = statement(
      `test.age_${column}`,
      `UPDATE sessions SET ${column} = now() - interval '8 days', created_at = now() - interval '9 days' WHERE id = $1`,
    );
    await served.db.database.query(age, [id]);
    expect((await browser.get('/me')).status).toBe(401);
  });

  test('a session in use does not end, however short the idle timeout is', async () => {
    await using short = await served.startReplica({ span: { idleMs: 60_000, maxMs: 3_600_000 } });
    const { cookie } = await browserOf(await newPerson());
    const browser = new Browser(short.url, cookie);
    const { id } = (await browser.get('/me')).body.data.session;
    const age = statement('test.age', `UPDATE sessions SET seen_at = seen_at - interval '40 seconds' WHERE id = $1`);
    // A change counts as use, even if the page reports that nobody uses it.
    const change = { body: { name: 'Grace' }, headers: { 'relata-unattended': '1' } };
    const read = () => browser.get('/me');
    for (const use of [read, () => browser.send('PATCH', '/console/api/me', change), read]) {
      await served.db.database.query(age, [id]);
      expect((await use()).status).toBe(200);
    }
    for (let pause = 0; pause < 2; pause++) await served.db.database.query(age, [id]);
    expect((await browser.get('/me')).status).toBe(401);
  });

  test('a password change ends all other sessions, and this one continues with a new token', async () => {
    const email = await newPerson();
    const [mine, other] = [await browserOf(email), await browserOf(email)];
    const { cookie } = mine;
    const change = (password: string, next: string) => mine.post('/me/password', { password, new_password: next });
    expect((await change('wrong horse battery', 'battery horse correct')).body.error).toBe('wrong_credentials');
    expect((await mine.get('/me')).status).toBe(200);
    expect((await change(goodPassword, 'battery horse correct')).status).toBe(200);
    expect((await mine.get('/me')).status).toBe(200);
    for (const ended of [other, new Browser(served.url, cookie)]) expect((await ended.get('/me')).status).toBe(401);
    expect((await signIn(email, goodPassword)).status).toBe(403);
    expect((await signIn(email, 'battery horse correct')).status).toBe(200);
  });

  test.each([
    ['short', 'too_short', 'at least 12'],
    ['x'.repeat(257), 'too_long', 'at most 256'],
    ['aaaaaaaaaaaaaaaa', 'invalid_format', 'different characters'],
  ])('%s is refused as a password with an explanation', async (given, code, words) => {
    const browser = await browserOf(await newPerson());
    const { error } = await browser.post('/me/password', { password: goodPassword, new_password: given });
    expect(error.details).toMatchObject([{ field: 'new_password', code, message: expect.stringContaining(words) }]);
  });
});

describe('a link of npm start', () => {
  test('signs in an admin once without a password, and is invalidated by the next link', async () => {
    const [first, second] = [await localLink(served.db, [orgId]), await localLink(served.db, [orgId])];
    const browser = new Browser(served.url);
    const enter = (token: string) =>
      browser.send('POST', '/console/api/enter', { body: { token }, headers: { 'X-Forwarded-For': newIp() } });
    expect((await enter(first.token)).body.error).toBe('link_ended');
    const { body } = await enter(second.token);
    expect(body.data).toMatchObject({
      person: { email: 'admin@localhost', has_password: false, is_operator: true },
      memberships: [{ organization: { id: orgId }, role: 'admin' }],
    });
    expect((await enter(second.token)).status).toBe(410);
    expect((await browser.get(`/orgs/${orgId}/keys`)).status).toBe(200);
    expect((await browser.post('/me/password', { new_password: goodPassword })).status).toBe(200);
  });

  test('cannot be redeemed twice concurrently', async () => {
    const { token } = await localLink(served.db, [orgId]);
    const take = statement(
      'test.take_link',
      `UPDATE links SET used_at = now() WHERE token_hash = decode($1, 'hex') AND used_at IS NULL`,
    );
    const { database } = served.db;
    const enter = () =>
      new Browser(served.url).send('POST', '/console/api/enter', {
        body: { token },
        headers: { 'X-Forwarded-For': newIp() },
      });
    let entering: ReturnType<typeof enter> | undefined;
    await database.transaction(async (db) => {
      await db.query(take, [hashCredential(token)]);
      entering = enter();
      await untilWaiting(served.db, 1);
    });
    expect((await entering!).body).toMatchObject({ error: 'link_ended' });
  });
});

test('a request for another host than CONSOLE_URL is answered with 421, for pages too', async () => {
  await using named = await served.startReplica({ consoleUrl: 'https://crm.example.com' });
  for (const path of ['/console', '/console/api/me']) expect((await fetch(named.url + path)).status).toBe(421);
  expect((await fetch(`${named.url}/health/live`)).status).toBe(200);
});

test('the log contains no token', async () => {
  const logLines: string[] = [];
  await using logged = await served.startReplica({ logLines });
  const { token } = await localLink(served.db, [orgId]);
  const browser = new Browser(logged.url);
  expect((await browser.post('/enter', { token })).status).toBe(200);
  expect((await browser.get('/me')).status).toBe(200);
  const log = logLines.join('');
  expect(log).toContain('"operation":"enter"');
  expect(log).toMatch(/"operation":"getMe".*"person_id":"/);
  expect(log).not.toContain(token);
  expect(log).not.toContain(browser.cookie!.slice('relata_session='.length).split(';')[0]);
});
