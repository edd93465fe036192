import { randomUUID } from 'node:crypto';
import { createOrganization } from '@relata/auth';
import { newId, statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { setNotifyChannel } from '@relata/notify';
import { ConsoleErrorBody, errors } from '@relata/schemas/errors';
import {
  declaredConsoleErrors,
  consoleOperations,
  type ConsoleSpec,
  type Role,
  roleNames,
  roles,
} from '@relata/schemas/console';
import type { ApiResponse } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  Browser,
  type ConsoleRequest,
  goodPassword,
  joinAs,
  joinAsOperator,
  signedIn,
} from './console-client.harness.ts';
import { notifyKeys, startTestConsole, type TestConsole } from './console.harness.ts';
import { Examples } from './examples.harness.ts';

const operations = Object.values<ConsoleSpec>(consoleOperations);
const ofOrganization = operations.filter(({ path }) => path.includes('{org}'));
const credential = /relata_(sk|pk|whs|lnk)_[0-9A-Za-z]{38}|"verify_token":"[\w-]{32}"/;

let served: TestConsole;
let acme: Examples;
let globex: Examples;
/** Session cookies of each role, and of an operator who is not a member. */
const cookies = {} as Record<Role | 'operator', string>;

beforeAll(async () => {
  served = await startTestConsole({ notifyKeys });
  const { db } = served;
  acme = new Examples(db, (await createOrganization(db.database, 'Acme')).id);
  globex = new Examples(db, (await createOrganization(db.database, 'Globex')).id);
  for (const role of roleNames) cookies[role] = await joinAs(db, acme.orgId, role, `${role}@acme.example`);
  cookies.operator = await joinAsOperator(db);
});
afterAll(() => served[Symbol.asyncDispose]());

const pathFor = (spec: ConsoleSpec, orgId: string, id: string) => spec.path.replace('{org}', orgId).replace('{id}', id);

/** Sends a request as somebody, and checks the response against the declaration of the operation. */
async function send(spec: ConsoleSpec, path: string, request: ConsoleRequest & { as?: string | undefined } = {}) {
  const response = await new Browser(served.url, request.as).send(spec.method.toUpperCase(), path, request);
  const declared = declaredConsoleErrors(spec).map((code) => errors[code].status);
  expect([spec.success.status, ...declared], `${spec.id}: ${response.text}`).toContain(response.status);
  expect(response.headers.get('x-request-id')).toBeTruthy();
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  expect(response.headers.get('vary')).toBe('Cookie');
  if (response.status >= 400) expectError(spec, response);
  expect(credential.test(response.text)).toBe(spec.answersSecret === true && response.status < 400);
  return response;
}

function expectError(spec: ConsoleSpec, { body, status }: ApiResponse): void {
  const { error } = ConsoleErrorBody.parse(body);
  expect(declaredConsoleErrors(spec), `${spec.id} declares what it answers`).toContain(error);
  expect(errors[error as keyof typeof errors].status).toBe(status);
}

/** Creates two sessions of a new person, and returns the cookie of one. Operations can end either of them. */
async function newSession(): Promise<string> {
  const email = `s${newId()}@acme.example`;
  await joinAs(served.db, acme.orgId, 'viewer', email);
  return signedIn(served.db, email);
}

const listSessions = async (as: string) => (await new Browser(served.url, as).get('/me/sessions')).body.data;

/** Returns a path and a body that succeed, for operations whose documented example alone does not. */
async function exampleOf(spec: ConsoleSpec): Promise<{ path: string; body?: unknown; as: string | undefined }> {
  const token = await acme.link();
  const link = { token, email: `p${newId()}@acme.example`, name: 'Some Body', new_password: goodPassword };
  const bodies: Record<string, unknown> = {
    readLink: { token },
    enter: link,
    signIn: { email: 'admin@acme.example', password: goodPassword },
    setPassword: { password: goodPassword, new_password: goodPassword },
  };
  // Public operations get no session, because signing in again would end it.
  if (spec.isPublic) return { path: spec.path, body: bodies[spec.id], as: undefined };
  if (namesFailedRuns.has(spec.id)) {
    const failed = await acme.run('failed');
    bodies['retryRuns'] = { ids: [failed] };
    bodies['setProblemState'] = { workflow: await acme.workflow(), step: '-', code: '-', state: 'resolved' };
  }
  await setChannelFor(spec, acme.orgId);
  const as = /sign-out|\/me\/(sessions|password)/.test(spec.path) ? await newSession() : cookies.admin;
  if (spec.id === 'endSession') {
    const other = (await listSessions(as)).find((each: { is_current: boolean }) => !each.is_current);
    return { path: pathFor(spec, '', other.id), as };
  }
  const id = spec.path.includes('{id}') ? await acme.idFor(spec) : '';
  if (spec.id === 'selectTriggerKey') bodies['selectTriggerKey'] = { key_id: await acme.key() };
  if (assignments.has(spec.id))
    bodies[spec.id] = {
      ...(spec.id !== 'unassignWorkflow' && { inputs: { email: 'payload.email' } }),
      workflow_id: await acme.workflow(),
    };
  if (spec.id === 'setMemberRole') return { path: pathFor(spec, acme.orgId, await viewerId()), body: spec.example, as };
  return { path: pathFor(spec, acme.orgId, id), body: bodies[spec.id] ?? spec.example, as };
}

/** Sets the channel of an organization, if the operation needs one. */
async function setChannelFor({ id }: ConsoleSpec, orgId: string): Promise<void> {
  if (!/^(test|remove)NotifyChannel$/.test(id)) return;
  const url = 'https://hooks.slack.com/services/T000/B000/XXXXXXXX';
  await setNotifyChannel(served.db, operatorActor(orgId, 'test'), { url }, notifyKeys);
}

const namesFailedRuns = new Set(['retryRuns', 'setProblemState']);
const assignments = new Set(['assignWorkflow', 'unassignWorkflow', 'previewAssignment']);

/** Returns the id of a new member. */
async function viewerId(): Promise<string> {
  const email = `v${newId()}@acme.example`;
  await joinAs(served.db, acme.orgId, 'viewer', email);
  const { data } = (await new Browser(served.url, cookies.admin).get(`/orgs/${acme.orgId}/members`)).body;
  return data.find((member: { email: string }) => member.email === email).id;
}

describe.each(operations)('$id', (spec) => {
  const isPublic = spec.isPublic === true;
  const acts = spec.method !== 'get';
  const anyPath = () => pathFor(spec, acme.orgId, randomUUID());

  test('its documented example is accepted, and the response follows its schema exactly', async () => {
    const { path, body, as } = await exampleOf(spec);
    const response = await send(spec, path, { as, body });
    expect(response.status, response.text).toBe(spec.success.status);
    expect(spec.success.body!.parse(response.body)).toEqual(response.body);
  });

  test.each([spec].filter(() => !isPublic))('without a session: 401, before any other error', async () => {
    for (const as of [undefined, 'relata_session=nonsense', `relata_session=${'A'.repeat(43)}`]) {
      const response = await send(spec, `${anyPath()}?nonsense=1`, { as, ...(spec.body && { body: 'nonsense' }) });
      expect(response.error.error).toBe('unauthorized');
      // Browsers do not know this scheme, so they do not show their own password prompt.
      expect(response.headers.get('www-authenticate')).toBe('Session realm="relata console"');
    }
  });

  test.each([spec].filter(() => acts))('from another site, or without a stated site: 403', async () => {
    const faults: Record<string, string | undefined>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
      { 'Sec-Fetch-Site': undefined },
      { 'Sec-Fetch-Site': undefined, Origin: 'null' },
      { 'Sec-Fetch-Site': undefined, Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': 'cross-site', Origin: served.url },
    ];
    for (const headers of faults) {
      const response = await send(spec, anyPath(), { as: cookies.admin, headers, body: spec.example });
      expect(response.error.error).toBe('cross_site');
    }
  });

  test.each([spec].filter(({ body }) => body && !isPublic))(
    'a body that our pages never send: 415 for text, 400 for invalid JSON',
    async () => {
      const as = cookies.admin;
      const headers = { 'Content-Type': 'text/plain' };
      expect((await send(spec, anyPath(), { as, body: '{}', headers })).status).toBe(415);
      expect((await send(spec, anyPath(), { as, body: '{"a":' })).status).toBe(400);
    },
  );

  test.each([spec].filter(() => !isPublic))('an unknown parameter: 400 with its name', async () => {
    const { path, body, as } = await exampleOf(spec);
    const response = await send(spec, `${path}?nonsense=1`, { as, body });
    expect(response.error.details).toContainEqual(expect.objectContaining({ in: 'query', field: 'nonsense' }));
  });
});

describe.each(ofOrganization)('$id', (spec) => {
  const permission = spec.permission!;
  const lesser = roleNames.filter((role) => !(roles[role] as readonly string[]).includes(permission));

  test.each([spec].filter(() => lesser.length > 0))(
    `a role without the permission ${permission}: 403 with its name`,
    async () => {
      for (const role of lesser) {
        const path = pathFor(spec, acme.orgId, randomUUID());
        const response = await send(spec, path, { as: cookies[role], ...(spec.body && { body: 'nonsense' }) });
        expect(response.error).toMatchObject({ error: 'forbidden', required_permission: permission });
        expect(response.error.message).toContain(permission);
      }
    },
  );

  test('another or unknown organization: 404 without any of its data', async () => {
    const id = spec.path.includes('{id}') ? await globex.idFor(spec) : '';
    for (const orgId of [globex.orgId, randomUUID(), 'nonsense', '%00', '%ff']) {
      const response = await send(spec, pathFor(spec, orgId, id), { as: cookies.admin, body: spec.example });
      expectNothing(response);
    }
  });

  test.each([spec].filter(({ path }) => path.includes('{id}')))(
    'an id outside the organization of the path: 404',
    async () => {
      for (const id of [await globex.idFor(spec), randomUUID(), 'nonsense', '%00', '%ff'])
        expectNothing(await send(spec, pathFor(spec, acme.orgId, id), { as: cookies.admin, body: spec.example }));
    },
  );

  test('an operator who is not a member may call it in every organization', async () => {
    const id = spec.path.includes('{id}') ? randomUUID() : '';
    await setChannelFor(spec, globex.orgId);
    const response = await send(spec, pathFor(spec, globex.orgId, id), { as: cookies.operator, body: spec.example });
    expect(response.status).toBe(id === '' && !namesFailedRuns.has(spec.id) ? spec.success.status : 404);
  });
});

function expectNothing({ status, body, text }: ApiResponse): void {
  expect(status).toBe(404);
  expect(body).toMatchObject({ error: 'not_found' });
  expect(text).not.toMatch(/Example|Form|Some Body|inbound|globex/i);
}

const tables = ['people', 'sessions', 'links', 'api_keys', 'webhook_trigger_secrets'];

test('no credential is stored in plain text', async () => {
  const { database } = served.db;
  for (const table of tables) {
    const rows = await database.query(statement(`test.all_${table}`, `SELECT t::text AS row FROM ${table} t`), []);
    const text = JSON.stringify(rows);
    expect(rows.length).toBeGreaterThan(0);
    expect(text).not.toMatch(credential);
    expect(text).not.toContain(goodPassword);
    for (const cookie of Object.values(cookies)) expect(text).not.toContain(cookie.split('=')[1]);
  }
});
