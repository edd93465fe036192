import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { inviteMember } from '@relata/people';
import type { Role } from '@relata/schemas/console';
import { afterAll, beforeEach, beforeAll, expect, test } from 'vitest';
import { Browser, goodPassword, joinAs, newEmail, newOrganization, signedIn } from './console-client.harness.ts';
import { startTestConsole, type TestConsole } from './console.harness.ts';

let served: TestConsole;
let orgId: string;
let admin: Browser;
beforeAll(async () => void (served = await startTestConsole({ proxies: 1 })));
afterAll(() => served[Symbol.asyncDispose]());
beforeEach(async () => void ({ orgId, admin } = await newOrganization(served.url, served.db)));

const at = (path: string) => `/orgs/${orgId}${path}`;

interface Shown {
  id: string;
  email: string;
  role: Role;
  state: string;
  is_you: boolean;
}

const members = async (): Promise<Shown[]> => (await admin.get(at('/members'))).body.data;
const me = async () => (await members()).find((member) => member.is_you)!;

async function invite(email: string, role: Role = 'member') {
  const response = await admin.post(at('/members'), { email, role });
  expect(response.status, response.text).toBe(201);
  const { link, member } = response.body.data;
  return { token: link.split('#')[1] as string, link: link as string, id: member.id as string };
}

let addresses = 0;
const visit = (path: string, body: object, browser = new Browser(served.url)) =>
  browser.send('POST', `/console/api${path}`, {
    body,
    headers: { 'X-Forwarded-For': `203.0.113.${++addresses % 250}` },
  });
const enter = (token: string, given: object = {}, browser?: Browser) => visit('/enter', { token, ...given }, browser);
const newcomer = { name: 'Grace Hopper', new_password: goodPassword };

test('the last admin can be neither demoted nor removed: 409 with an explanation (acceptance 11)', async () => {
  const { id } = await me();
  for (const [path, body] of [
    [`/members/${id}/role`, { role: 'member' }],
    [`/members/${id}/remove`, undefined],
  ] as const) {
    const { status, error } = await admin.post(at(path), body);
    expect(status).toBe(409);
    expect(error.message).toContain('last admin');
  }
  expect(await me()).toMatchObject({ role: 'admin' });
});

test('if two admins demote each other at once, one stays', async () => {
  const other = new Browser(served.url, await joinAs(served.db, orgId, 'admin', newEmail()));
  const [mine, theirs] = [await me(), (await members()).find((member) => !member.is_you)!];
  const statuses = await Promise.all([
    admin.post(at(`/members/${theirs.id}/role`), { role: 'viewer' }),
    other.post(at(`/members/${mine.id}/role`), { role: 'viewer' }),
  ]);
  expect(statuses.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('a change of your own role takes effect with the next request, and the session continues (acceptance 11)', async () => {
  await joinAs(served.db, orgId, 'admin', newEmail());
  const { id } = await me();
  expect((await admin.post(at(`/members/${id}/role`), { role: 'viewer' })).status).toBe(200);
  expect((await admin.get(at('/keys'))).body).toMatchObject({ error: 'forbidden', required_permission: 'manage' });
  expect((await admin.get('/me')).body.data.memberships[0]).toMatchObject({ role: 'viewer', permissions: ['read'] });
});

test('a new role applies from the next request and ends no session of any organization (found A8)', async () => {
  const email = newEmail();
  const elsewhere = (await createOrganization(served.db.database, 'Globex')).id;
  const member = new Browser(served.url, await joinAs(served.db, orgId, 'admin', email));
  const { token } = (await inviteMember(served.db, operatorActor(elsewhere, 'test'), { email, role: 'viewer' })).link;
  expect((await enter(token, { password: goodPassword }, member)).status).toBe(200);
  const { id } = (await members()).find((each) => each.email === email)!;
  expect((await admin.post(at(`/members/${id}/role`), { role: 'viewer' })).body.data).toMatchObject({ role: 'viewer' });
  expect((await member.get(at('/keys'))).body).toMatchObject({ error: 'forbidden', required_permission: 'manage' });
  expect((await member.get(`/orgs/${elsewhere}/triggers`)).status).toBe(200);
  expect((await admin.post(at(`/members/${id}/remove`))).status).toBe(200);
  expect((await member.get(at('/triggers'))).status).toBe(404);
  expect((await member.get(`/orgs/${elsewhere}/triggers`)).status).toBe(200);
  expect(await members()).toHaveLength(1);
});

test('an invitation link works once, for its role, and first shows its purpose (acceptance 12)', async () => {
  const email = newEmail();
  const { token, link } = await invite(email);
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/enter#relata_lnk_/);
  const { data } = (await visit('/enter/read', { token })).body;
  expect(data).toMatchObject({ kind: 'invite', email, organization: { id: orgId, name: 'Acme' }, role: 'member' });
  expect(data.needs).toEqual(['name', 'new_password']);
  expect(Date.parse(data.expires_at) - Date.now()).toBeGreaterThan(71.9 * 3_600_000);
  const browser = new Browser(served.url);
  const { body } = await enter(token, newcomer, browser);
  expect(body.data).toMatchObject({ person: { email, name: 'Grace Hopper' }, memberships: [{ role: 'member' }] });
  expect((await browser.get(at('/triggers'))).status).toBe(200);
  expect((await enter(token, newcomer)).body).toMatchObject({ error: 'link_ended' });
  expect((await visit('/enter/read', { token })).status).toBe(410);
  expect(await members()).toContainEqual(expect.objectContaining({ email, state: 'active' }));
});

test('missing fields of a link are named, and passwords under 12 characters are refused (acceptance 12)', async () => {
  const { token } = await invite(newEmail());
  const { error } = await enter(token);
  expect(error.details?.map(({ field, code }) => [field, code])).toEqual([
    ['name', 'required'],
    ['new_password', 'required'],
  ]);
  const short = await enter(token, { ...newcomer, new_password: 'elevenchars' });
  expect(short.error.details).toMatchObject([{ field: 'new_password', message: 'Must have at least 12 characters.' }]);
  expect((await enter(token, newcomer)).status).toBe(200);
});

test('a withdrawn, replaced or expired invitation is invalid (acceptance 12)', async () => {
  const email = newEmail();
  const [first, second] = [await invite(email), await invite(email)];
  expect((await enter(first.token, newcomer)).status).toBe(410);
  const late = statement(
    'test.age_links',
    `UPDATE links SET expires_at = now() - interval '1 second' WHERE org_id = $1`,
  );
  await served.db.database.query(late, [orgId]);
  expect((await enter(second.token, newcomer)).status).toBe(410);
  expect(await members()).toContainEqual(expect.objectContaining({ email, state: 'expired' }));
  const third = await invite(email);
  expect((await admin.post(at(`/members/${third.id}/remove`))).status).toBe(200);
  expect((await enter(third.token, newcomer)).status).toBe(410);
  expect(await members()).toHaveLength(1);
});

test('the inviter of an existing person cannot sign in as that person with the link', async () => {
  const email = newEmail();
  const other = (await createOrganization(served.db.database, 'Globex')).id;
  await joinAs(served.db, other, 'admin', email);
  const { token } = await invite(email);
  expect((await visit('/enter/read', { token })).body.data.needs).toEqual(['password']);
  expect((await enter(token, newcomer)).status).toBe(400);
  expect((await enter(token, { password: 'wrong horse battery' })).body.error).toBe('wrong_credentials');
  const browser = new Browser(served.url, await signedIn(served.db, email));
  expect((await visit('/enter/read', { token }, browser)).body.data.needs).toEqual([]);
  expect((await enter(token, { password: goodPassword })).body.data.memberships).toHaveLength(2);
});

test('a member cannot be invited again', async () => {
  const { email } = await me();
  expect((await admin.post(at('/members'), { email: email.toUpperCase(), role: 'viewer' })).status).toBe(409);
});

test('a form of another site, or anything its page can send, changes nothing (acceptance 7)', async () => {
  const before = await members();
  const headers = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
  const bodies: [type: string, body: string][] = [
    ['application/x-www-form-urlencoded', 'email=x@evil.example&role=admin'],
    ['text/plain', '{"email":"x@evil.example","role":"admin"}'],
    ['application/json', '{"email":"x@evil.example","role":"admin"}'],
  ];
  for (const [type, body] of bodies) {
    const sent = { body, headers: { ...headers, 'Content-Type': type } };
    expect((await admin.send('POST', `/console/api${at('/members')}`, sent)).status).toBe(403);
  }
  expect(await members()).toEqual(before);
});

test('B3.1: changes of members and keys are in the audit log with their author and without a secret', async () => {
  const { id } = await invite('alan@acme.example');
  const made = await admin.post(at('/keys'), { kind: 'secret', name: 'Import', scopes: ['records:read'] });
  const { key, secret } = made.body.data;
  expect(key).toMatchObject({ name: 'Import', made_by: { type: 'user', name: 'Test admin' }, triggers: [] });
  const { text, body } = await admin.get(at('/audit?type=member.*,api_key.*'));
  const { id: userId } = await me();
  expect(body.data.slice(0, 2)).toMatchObject([
    { type: 'api_key.created', record_id: key.id, actor: { type: 'user', id: userId }, request_id: expect.any(String) },
    { type: 'member.invited', record_id: id, actor: { type: 'user', id: userId }, request_id: expect.any(String) },
  ]);
  expect(text).not.toContain(secret);
  const older = (await admin.get(at(`/audit?limit=1&after=${body.data[0].id}`))).body;
  expect(older.data).toHaveLength(1);
  expect(older.data[0].id).not.toBe(body.data[0].id);
});

test('a key is renamed, rotated with an overlap, and revoked; problems use the field names of the body', async () => {
  const wrong = await admin.post(at('/keys'), {
    kind: 'publishable',
    name: 'Site',
    scopes: ['chat'],
    origins: ['https://example.com/path'],
    expires_at: '2020-01-01T00:00:00Z',
  });
  expect(wrong.error.details?.map(({ field }) => field).toSorted()).toEqual(['expires_at', 'origins.0']);
  expect(wrong.text).toContain('Did you mean https://example.com?');
  const site = { kind: 'publishable', name: 'Site', scopes: ['chat'], origins: ['https://a.example'] };
  const { id } = (await admin.post(at('/keys'), site)).body.data.key;
  const changed = await admin.patch(at(`/keys/${id}`), { name: 'Shop', origins: ['https://b.example'] });
  expect(changed.body.data).toMatchObject({ name: 'Shop', origins: ['https://b.example'] });
  const { key, old } = (await admin.post(at(`/keys/${id}/rotate`), { overlap_seconds: 3_600 })).body.data;
  expect(key).toMatchObject({ name: 'Shop', replaced_by: null });
  expect(old).toMatchObject({ id, replaced_by: key.id });
  expect(Date.parse(old.expires_at) - Date.now()).toBeGreaterThan(3_500_000);
  expect((await admin.post(at(`/keys/${key.id}/revoke`))).body.data.revoked_at).toBeTruthy();
  expect((await admin.post(at(`/keys/${key.id}/rotate`), { overlap_seconds: 0 })).status).toBe(409);
});
