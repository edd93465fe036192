import { argon2Sync, randomBytes } from 'node:crypto';
import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { inviteMember, makeLocalLink, makeResetLink } from '@relata/people';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserElsewhere, goodPassword, joinAs, newEmail, untilWaiting } from './console-client.harness.ts';
import { startTestConsole, type TestConsole } from './console.harness.ts';

let served: TestConsole;
let orgId: string;
beforeAll(async () => {
  served = await startTestConsole({ proxies: 1 });
  orgId = (await createOrganization(served.db.database, 'Acme')).id;
});
afterAll(() => served[Symbol.asyncDispose]());

const nextPassword = 'battery horse correct';
const visitor = (cookie?: string) => browserElsewhere(served.url, cookie);
const signIn = (email: string, password: string) => visitor().post('/sign-in', { email, password });
const enter = (token: string, given: object = {}) => visitor().post('/enter', { token, ...given });
const reset = async (email: string) => (await makeResetLink(served.db, email)).token;
const local = async (email: string) =>
  (await makeLocalLink(served.db, { email, name: 'x', orgIds: [], requestId: 'test' })).token;

async function newPerson() {
  const email = newEmail();
  return { email, browser: visitor(await joinAs(served.db, orgId, 'viewer', email)) };
}

test('a password change invalidates the links that would sign in', async () => {
  const { email, browser } = await newPerson();
  const tokens = [await reset(email), await local(email)];
  const change = { password: goodPassword, new_password: nextPassword };
  expect((await browser.post('/me/password', change)).status).toBe(200);
  for (const token of tokens) expect((await enter(token, { new_password: goodPassword })).status).toBe(410);
});

test('if links are created at the same time, only the last one works', async () => {
  const { email } = await newPerson();
  for (const make of [reset, local]) {
    const tokens = await Promise.all(Array.from({ length: 4 }, () => make(email)));
    const responses = [];
    for (const token of tokens) responses.push((await enter(token, { new_password: nextPassword })).status);
    expect(responses.toSorted((a, b) => a - b)).toEqual([200, 410, 410, 410]);
  }
});

test('a password reset invalidates the link of npm start', async () => {
  const { email } = await newPerson();
  const token = await local(email);
  expect((await enter(await reset(email), { new_password: nextPassword })).status).toBe(200);
  expect((await enter(token)).status).toBe(410);
});

const lockPerson = statement<never>('test.lock', 'SELECT FROM people WHERE email_key = $1 FOR NO KEY UPDATE');

test('a password change and a concurrent reset do not deadlock', async () => {
  const { email, browser } = await newPerson();
  const token = await reset(email);
  const { changing, resetting } = await served.db.database.transaction(async (db) => {
    await db.query(lockPerson, [email]);
    const first = browser.post('/me/password', { password: goodPassword, new_password: nextPassword });
    await untilWaiting(served.db, 1);
    const second = enter(token, { new_password: nextPassword });
    await untilWaiting(served.db, 2);
    return { changing: first, resetting: second };
  });
  expect((await changing).status).toBe(200);
  expect((await resetting).body).toMatchObject({ error: 'link_ended' });
});

const keep = statement<never>('test.keep', 'UPDATE people SET password_hash = $2 WHERE email_key = $1');
const kept = statement<{ hash: string }>('test.kept', 'SELECT password_hash AS hash FROM people WHERE email_key = $1');

test('a password hashed at a lower cost is hashed again at the current cost when it is used', async () => {
  const { email } = await newPerson();
  const nonce = randomBytes(16);
  const cost = { memory: 8_192, passes: 1, parallelism: 1 };
  const tag = argon2Sync('argon2id', { message: goodPassword, nonce, tagLength: 32, ...cost });
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
  const old = `$argon2id$v=19$m=8192,t=1,p=1$${salt}$${hash}`;
  const { database } = served.db;
  await database.query(keep, [email, old]);
  const now = async () => (await database.query(kept, [email]))[0]!.hash;
  expect((await signIn(email, 'wrong horse battery')).status).toBe(403);
  expect(await now()).toBe(old);
  expect((await signIn(email, goodPassword)).status).toBe(200);
  const renewed = await now();
  expect(renewed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect((await signIn(email, goodPassword)).status).toBe(200);
  expect(await now()).toBe(renewed);
});

test('a reset ends other sessions of the e-mail address, and memberships that are not kept (found A6)', async () => {
  const email = newEmail();
  const evil = (await createOrganization(served.db.database, 'Evil')).id;
  const squatter = visitor(await joinAs(served.db, evil, 'admin', email));
  const { link } = await inviteMember(served.db, operatorActor(orgId, 'test'), { email, role: 'viewer' });
  expect((await squatter.post('/enter', { token: link.token, password: goodPassword })).status).toBe(200);
  const token = await reset(email);
  const { memberships } = (await visitor().post('/enter/read', { token })).body.data;
  expect(memberships).toMatchObject([
    { organization: { id: orgId, name: 'Acme' }, role: 'viewer' },
    { organization: { id: evil, name: 'Evil' }, role: 'admin' },
  ]);
  const { data } = (await enter(token, { new_password: nextPassword, keep: [orgId] })).body;
  expect(data.memberships.map((each: { organization: { id: string } }) => each.organization.id)).toEqual([orgId]);
  expect((await squatter.get('/me')).status).toBe(401);
  expect((await signIn(email, goodPassword)).status).toBe(403);
});
