import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { createUser } from '@relata/records';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type Browser,
  browserElsewhere,
  goodPassword,
  joinAs,
  newEmail,
  newOrganization,
  untilWaiting,
} from './console-client.harness.ts';
import { startTestConsole, type TestConsole } from './console.harness.ts';

let served: TestConsole;
let orgId: string;
let admin: Browser;
beforeAll(async () => void (served = await startTestConsole({ proxies: 1 })));
afterAll(() => served[Symbol.asyncDispose]());
beforeEach(async () => void ({ orgId, admin } = await newOrganization(served.url, served.db)));

const at = (path: string) => `/orgs/${orgId}${path}`;
const invite = (email: string) => admin.post(at('/members'), { email, role: 'member' });
const remove = (id: string) => admin.post(at(`/members/${id}/remove`));
const enter = (token: string, given: object) => browserElsewhere(served.url).post('/enter', { token, ...given });
const newcomer = { name: 'Grace Hopper', new_password: goodPassword };

async function invited(email: string): Promise<{ token: string; id: string }> {
  const { link, member } = (await invite(email)).body.data;
  return { token: link.split('#')[1], id: member.id };
}

const lockOrganization = statement<never>('test.lock', 'SELECT FROM organizations WHERE id = $1 FOR NO KEY UPDATE');

test.each([
  ['withdraws', (_email: string, id: string) => remove(id)],
  ['repeats', (email: string) => invite(email)],
])('an admin who %s an invitation while it is being redeemed causes no deadlock', async (_what, end) => {
  const email = newEmail();
  const { token, id } = await invited(email);
  const { ending, entering } = await served.db.database.transaction(async (db) => {
    await db.query(lockOrganization, [orgId]);
    const first = end(email, id);
    await untilWaiting(served.db, 1);
    const second = enter(token, newcomer);
    await untilWaiting(served.db, 2);
    return { ending: first, entering: second };
  });
  expect((await ending).status).toBeLessThan(300);
  expect((await entering).body).toMatchObject({ error: 'link_ended' });
});

test('redeeming an invitation with a password that is changed in the meantime signs nobody in', async () => {
  const email = newEmail();
  const other = (await createOrganization(served.db.database, 'Globex')).id;
  await joinAs(served.db, other, 'admin', email);
  const { token } = await invited(email);
  const change = statement<never>('test.change', `UPDATE people SET password_hash = 'another' WHERE email = $1`);
  const { entering } = await served.db.database.transaction(async (db) => {
    await db.query(lockOrganization, [orgId]);
    const first = enter(token, { password: goodPassword });
    await untilWaiting(served.db, 1);
    await served.db.owner.query(change, [email]);
    return { entering: first };
  });
  expect((await entering).body).toMatchObject({ error: 'wrong_credentials' });
});

const status = statement<{ status: string }>('test.user_status', 'SELECT status FROM users WHERE id = $1');
const statusOf = async (id: string) => (await served.db.database.query(status, [id]))[0]!.status;

test('a user who was active before an invitation stays active after it is withdrawn', async () => {
  const email = newEmail();
  const made = { email, first_name: 'Grace', last_name: 'Hopper', role: 'rep', status: 'active' };
  const user = await createUser(served.db, operatorActor(orgId, 'test'), made);
  const { id } = await invited(email);
  expect(id).toBe(user.id);
  expect((await remove(id)).status).toBe(200);
  expect(await statusOf(id)).toBe('active');
  const { token } = await invited(email);
  expect((await enter(token, newcomer)).status).toBe(200);
  expect((await remove(id)).status).toBe(200);
  expect(await statusOf(id)).toBe('inactive');
});

test('a user created by an invitation is inactive after it is withdrawn', async () => {
  const { id } = await invited(newEmail());
  expect(await statusOf(id)).toBe('invited');
  expect((await remove(id)).status).toBe(200);
  expect(await statusOf(id)).toBe('inactive');
});

test("an invitation does not show a person's name in another organization", async () => {
  const email = newEmail();
  const other = (await createOrganization(served.db.database, 'Globex')).id;
  await joinAs(served.db, other, 'admin', email);
  const { token } = await invited(email);
  const { data } = (await browserElsewhere(served.url).post('/enter/read', { token })).body;
  expect(data).toMatchObject({ email, name: email.split('@')[0], needs: ['password'] });
});

const fill = statement<never>(
  'test.fill',
  `INSERT INTO links (token_hash, kind, org_id, user_id, role, expires_at)
   SELECT sha256(convert_to($1 || n, 'UTF8')), 'invite', $1::uuid, $2, 'viewer', now() + interval '1 hour'
   FROM generate_series(1, $3::integer) n`,
);

test('an organization has at most 1,000 members and invitations, which are all listed', async () => {
  const email = newEmail();
  const { id } = await invited(email);
  const other = await invited(newEmail());
  const { database } = served.db;
  await database.query(fill, [orgId, other.id, 997]);
  expect((await invite(email)).status).toBe(201);
  const { status: refused, error } = await invite(newEmail());
  expect(refused).toBe(409);
  expect(error.message).toContain('1,000 members and invitations');
  expect((await remove(id)).status).toBe(200);
  expect((await invite(newEmail())).status).toBe(201);
  await database.query(fill, [orgId.toUpperCase(), other.id, 5]);
  expect((await admin.get(at('/members'))).body.data).toHaveLength(1_000);
});
