import { createOrganization } from '@relata/auth';
import { makeResetLink } from '@relata/people';
import { until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser, goodPassword, joinAs, newEmail, signedIn } from './console-client.harness.ts';
import { startTestConsole, type TestConsole } from './console.harness.ts';

let served: TestConsole;
let orgId: string;
beforeAll(async () => {
  // With 0, an attempt that would have to wait is refused at once, so that results do not depend on timing.
  served = await startTestConsole({ proxies: 1, guessWaitMs: 0 });
  orgId = (await createOrganization(served.db.database, 'Acme')).id;
});
afterAll(() => served[Symbol.asyncDispose]());

const wrongPassword = 'wrong horse battery';
let addresses = 0;
const newIp = () => `198.51.${Math.floor(++addresses / 250)}.${addresses % 250}`;

async function newPerson(): Promise<string> {
  const email = newEmail();
  await joinAs(served.db, orgId, 'viewer', email);
  return email;
}

interface From {
  ip?: string;
  browser?: Browser;
}

function signIn(email: string, password: string, { ip = newIp(), browser = new Browser(served.url) }: From = {}) {
  return browser.send('POST', '/console/api/sign-in', {
    body: { email, password },
    headers: { 'X-Forwarded-For': ip },
  });
}

/**
 * Makes concurrent guesses, each from its own IP address. Returns how many were compared (403), and the other
 * responses.
 */
async function guess(email: string, count: number) {
  const responses = await Promise.all(Array.from({ length: count }, () => signIn(email, wrongPassword)));
  const compared = responses.filter(({ status }) => status === 403);
  return { compared: compared.length, refused: responses.filter((response) => !compared.includes(response)) };
}

/**
 * Makes guesses until the next attempt has to wait. Makes only a few at a time, because a slow machine refuses guesses
 * that wait too long for hashing, and these do not count.
 */
async function useUp(email: string): Promise<void> {
  for (let compared = 0; compared < 10;) compared += (await guess(email, 5)).compared;
}

/** Creates a browser in which the person has signed in and out. */
async function knownBrowser(email: string): Promise<Browser> {
  const browser = new Browser(served.url);
  expect((await signIn(email, goodPassword, { browser })).status).toBe(200);
  expect((await browser.post('/sign-out')).status).toBe(200);
  return browser;
}

/**
 * Maximum number of guesses that are compared. Ten need not wait. On a slow machine they take so long that a few more
 * are admitted.
 */
const comparedMost = 13;

test('guesses from many addresses lock nobody out: known browsers and addresses enter at once, others after a delay (found A2)', async () => {
  const email = await newPerson();
  await using patient = await served.startReplica({ guessWaitMs: 30_000 });
  const [browser, ip] = [await knownBrowser(email), newIp()];
  expect((await signIn(email, goodPassword, { ip })).status).toBe(200);
  const { compared, refused } = await guess(email, 40);
  expect(compared).toBeGreaterThanOrEqual(9);
  expect(compared).toBeLessThanOrEqual(comparedMost);
  for (const { status, headers } of refused) {
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(150);
  }
  expect((await signIn(email, goodPassword, { browser })).status).toBe(200);
  expect((await signIn(email, goodPassword, { ip })).status).toBe(200);
  // From unknown addresses, an attempt is refused by the server that does not let it wait, and admitted after a delay
  // by the other.
  expect((await guess(email, 5)).refused.length).toBeGreaterThanOrEqual(4);
  expect((await signIn(email, goodPassword, { browser: new Browser(patient.url) })).status).toBe(200);
  await until(async () => expect((await signIn(email, goodPassword)).status).toBe(200));
});

test('guesses at an unknown e-mail address are delayed in the same way (found A2)', async () => {
  const { compared, refused } = await guess(newEmail(), 40);
  expect(compared).toBeGreaterThanOrEqual(9);
  expect(compared).toBeLessThanOrEqual(comparedMost);
  expect(refused.every(({ status }) => status === 429)).toBe(true);
});

test('one client can guess at most 5 times at a person before it has to wait, from any address of its IPv6 network (found A2)', async () => {
  const email = await newPerson();
  const statuses: number[] = [];
  for (let i = 1; i <= 11; i++) {
    const isLast = i === 11;
    statuses.push((await signIn(isLast ? newEmail() : email, wrongPassword, { ip: `2001:db8:7:7::${i}` })).status);
  }
  expect(statuses.slice(0, 5)).toEqual([403, 403, 403, 403, 403]);
  expect(statuses.slice(5, 10)).toContain(429);
  // The 11th attempt within a minute is refused, for any person.
  expect(statuses[10]).toBe(429);
  expect((await signIn(email, goodPassword, { ip: '2001:db8:7:8::1' })).status).toBe(200);
});

test('a known browser has its own budget for its person, and beyond it counts as unknown (found A2)', async () => {
  const [email, other, ip] = [await newPerson(), await newPerson(), newIp()];
  const browser = await knownBrowser(email);
  const copy = () => new Browser(served.url, browser.cookie);
  for (let i = 0; i < 10; i++)
    expect((await signIn(email, wrongPassword, { ip: newIp(), browser: copy() })).status).toBe(403);
  expect((await signIn(email, goodPassword, { ip, browser: copy() })).status).toBe(429);
  expect((await signIn(email, goodPassword)).status).toBe(200);
  // For another person the browser counts as unknown, and its guesses count towards the limit of its IP address.
  const theirs = await knownBrowser(other);
  for (let i = 0; i < 5; i++) await signIn(newEmail(), wrongPassword, { ip, browser: theirs });
  for (let i = 0; i < 5; i++) await signIn(newEmail(), wrongPassword, { ip });
  expect((await signIn(email, goodPassword, { ip })).status).toBe(429);
});

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

test.each([
  ['of another person', (cookie: string, id: string) => cookie.replace(/relata_browser=[^.]+/, `relata_browser=${id}`)],
  ['with another MAC', (cookie: string) => cookie.replace(/.(?=.$)/, (at) => (at === 'A' ? 'B' : 'A'))],
  // The last two bits of the last character are unused, so the changed text decodes to the same bytes.
  [
    'with the same MAC in another encoding',
    (cookie: string) => cookie.replace(/.$/, (at) => letters[letters.indexOf(at) + 1]!),
  ],
  ['with a later expiry', (cookie: string) => cookie.replace(/\.(\d{10})\./, '.9999999999.')],
])('a forged cookie %s does not make the browser known (found A2)', async (_what, forge) => {
  const email = await newPerson();
  const cookie = (await knownBrowser(email)).cookie!;
  const forged = forge(cookie, crypto.randomUUID());
  expect(forged).not.toBe(cookie);
  await useUp(email);
  /**
   * Guesses five times with a cookie. A known browser has its own budget, so all five are compared. With another
   * cookie, most are refused, because the limit for the person is used up.
   */
  const fiveWith = async (sent: string) => {
    const responses = Array.from({ length: 5 }, () =>
      signIn(email, wrongPassword, { browser: new Browser(served.url, sent) }),
    );
    return (await Promise.all(responses)).map(({ status }) => status);
  };
  expect(await fiveWith(forged)).toContain(429);
  expect(await fiveWith(cookie)).toEqual([403, 403, 403, 403, 403]);
});

test('guesses with a session count only for that session, and sign nobody out (found A2)', async () => {
  const email = await newPerson();
  const [mine, stolen] = [await signedIn(served.db, email), await signedIn(served.db, email)].map(
    (cookie) => new Browser(served.url, cookie),
  );
  const change = (browser: Browser, password: string) =>
    browser.post('/me/password', { password, new_password: 'battery horse correct' });
  for (let i = 0; i < 10; i++) expect((await change(stolen!, wrongPassword)).status).toBe(403);
  expect((await change(stolen!, goodPassword)).status).toBe(429);
  expect((await stolen!.get('/me')).status).toBe(200);
  expect((await signIn(email, goodPassword)).status).toBe(200);
  expect((await change(mine!, goodPassword)).status).toBe(200);
});

test('wrong passwords for invitations count like those of signing in; a known browser and a reset link still work (found A2)', async () => {
  const email = await newPerson();
  const browser = await knownBrowser(email);
  const globex = (await createOrganization(served.db.database, 'Globex')).id;
  const admin = new Browser(served.url, await joinAs(served.db, globex, 'admin', newEmail()));
  const { link } = (await admin.post(`/orgs/${globex}/members`, { email, role: 'viewer' })).body.data;
  const enter = (given: object, from = new Browser(served.url)) =>
    from.send('POST', '/console/api/enter', { body: given, headers: { 'X-Forwarded-For': newIp() } });
  const token = link.split('#')[1];
  const responses = await Promise.all(Array.from({ length: 30 }, () => enter({ token, password: wrongPassword })));
  expect(responses.filter(({ status }) => status === 403).length).toBeLessThanOrEqual(comparedMost);
  const reset = (await makeResetLink(served.db, email)).token;
  expect((await enter({ token, password: goodPassword }, browser)).status).toBe(200);
  expect((await enter({ token: reset, new_password: goodPassword })).status).toBe(200);
});

test('guesses are counted across replicas (found A2)', async () => {
  await using replica = await served.startReplica();
  const email = await newPerson();
  const there = () => signIn(email, wrongPassword, { browser: new Browser(replica.url) });
  for (let i = 0; i < 10; i++) expect((await there()).status).toBe(403);
  await until(async () => {
    const { compared } = await guess(email, 8);
    expect(compared).toBeLessThanOrEqual(4);
  });
});
