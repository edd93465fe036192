import { createOrganization } from '@relata/auth';
import { newId } from '@relata/db';
import type { Role } from '@relata/schemas/console';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Browser, joinAs } from './console-client.harness.ts';
import { startTestConsole, type TestConsole } from './console.harness.ts';
import { Examples } from './examples.harness.ts';

let served: TestConsole;
let orgId: string;
let examples: Examples;
let admin: Browser;
beforeAll(async () => void (served = await startTestConsole()));
afterAll(() => served[Symbol.asyncDispose]());
beforeEach(async () => {
  orgId = (await createOrganization(served.db.database, 'Acme')).id;
  examples = new Examples(served.db, orgId);
  admin = await as('admin');
});

const at = (path: string) => `/orgs/${orgId}${path}`;
const as = async (role: Role) =>
  new Browser(served.url, await joinAs(served.db, orgId, role, `p${newId()}@acme.example`));

/** Returns a definition as text, with the fields of `changed` instead of the original ones. */
function textOf(changed: object = {}): string {
  const step = { id: 'log', use: 'activity.create', with: { content: 'From ${{ inputs.email }}' } };
  const inputs = { email: { type: 'string', required: true } };
  return JSON.stringify({ name: 'inbound-lead', inputs, steps: [step], ...changed }, null, 2);
}

const publish = (id: string, body: object, by = admin) => by.post(at(`/workflows/${id}/publish`), body);

test('publishing from an outdated version is answered with 409 naming the newest, and creates nothing (acceptance 39)', async () => {
  const id = await examples.workflow();
  const mine = { text: textOf({ description: 'Mine' }), base_version: 1 };
  const theirs = { text: textOf({ description: 'Theirs' }), base_version: 1, note: 'Theirs' };
  expect((await publish(id, theirs)).body.data).toMatchObject({ id, version: 2, action: 'updated', misfits: [] });
  const stale = await publish(id, mine);
  expect(stale.status).toBe(409);
  expect(stale.body).toMatchObject({ error: 'conflict', newest_version: 2 });
  expect(stale.body.message).toContain('was made from version 1');
  expect((await admin.get(at(`/workflows/${id}`))).body.data).toMatchObject({
    newest_version: 2,
    definition: { description: 'Theirs' },
  });
  expect((await publish(id, { ...mine, base_version: 2 })).body.data).toMatchObject({ version: 3 });
  const { data, has_more } = (await admin.get(at(`/workflows/${id}/versions?limit=2`))).body;
  expect(data).toMatchObject([
    { version: 3, note: null, applied_by: { type: 'user', name: 'Test admin' } },
    { version: 2, note: 'Theirs' },
  ]);
  expect(has_more).toBe(true);
  const older = (await admin.get(at(`/workflows/${id}/versions?before=2`))).body;
  expect(older).toMatchObject({ data: [{ version: 1, applied_by: { type: 'operator' } }], has_more: false });
});

test('publishing the same text again after a lost response changes nothing and is not a conflict', async () => {
  const id = await examples.workflow();
  const sent = { text: textOf({ description: 'Mine' }), base_version: 1 };
  await publish(id, sent);
  expect((await publish(id, sent)).body.data).toMatchObject({ version: 2, action: 'unchanged' });
});

test('faults are those of `relata workflows validate`, each with its line, and nothing is published', async () => {
  const id = await examples.workflow();
  const text = textOf({ steps: [{ id: 'log', use: 'activity.create', with: { content: '${{ inputs.emial }}' } }] });
  const checked = (await admin.post(at('/workflows/check'), { text })).body.data;
  expect(checked).toEqual({
    faults: [expect.objectContaining({ path: 'steps[0].with.content', line: 14, column: 9 })],
    warnings: [],
  });
  const { status, body } = await publish(id, { text, base_version: 1 });
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: 'validation_error', message: 'The definition has a fault.' });
  expect(body.faults).toEqual(checked.faults);
  expect(body.details).toMatchObject([{ field: 'text' }]);
  const noJson = (await publish(id, { text: '{\n "name" 1}', base_version: 1 })).body;
  expect(noJson.faults).toMatchObject([{ path: '', line: 2, column: 9 }]);
  expect((await admin.get(at(`/workflows/${id}`))).body.data.newest_version).toBe(1);
});

test('a version keeps the name of its workflow, and a new workflow needs an unused name', async () => {
  const id = await examples.workflow();
  const other = await publish(id, { text: textOf({ name: 'other' }), base_version: 1 });
  expect(other.body.faults).toMatchObject([{ path: 'name', line: 2, column: 3 }]);
  const taken = await admin.post(at('/workflows'), { text: textOf({ description: 'Another' }) });
  expect(taken.body).toMatchObject({ error: 'conflict', newest_version: 1 });
  const made = await admin.post(at('/workflows'), { text: textOf({ name: 'other' }), note: 'To begin with' });
  expect(made.body.data).toMatchObject({ version: 1, action: 'created' });
  const { data } = (await admin.get(at('/workflows'))).body;
  expect(data.map(({ name }: { name: string }) => name)).toEqual(['inbound-lead', 'other']);
});

test('a version that needs more inputs than a trigger maps names the trigger, and suspicious parts cause warnings', async () => {
  const trigger = await examples.trigger();
  const id = await examples.workflow();
  const inputs = { email: { type: 'string' }, company: { type: 'string', required: true } };
  const call = { id: 'call', use: 'http.request', with: { method: 'GET', url: '${{ payload.url }}' } };
  const { data } = (await publish(id, { text: textOf({ inputs, steps: [call] }), base_version: 1 })).body;
  expect(data.misfits).toMatchObject([{ trigger_id: trigger, problems: [expect.stringContaining('"company"')] }]);
  expect(data.warnings).toMatchObject([{ path: 'steps[0].with.url' }]);
});

test('checking and publishing warn of an optional input that is read without has() (found C6)', async () => {
  const steps = [{ id: 'log', use: 'activity.create', with: { content: '${{ inputs.company }}' } }];
  const text = textOf({ inputs: { company: { type: 'string' } }, steps });
  const expected = [{ path: 'steps[0].with.content', hint: expect.stringContaining('has(inputs.company)') }];
  const checked = await admin.post(at('/workflows/check'), { text });
  expect(checked.body.data).toMatchObject({ faults: [], warnings: expected });
  const { data } = (await publish(await examples.workflow(), { text, base_version: 1 })).body;
  expect(data.warnings).toMatchObject(expected);
});

test('the list shows the triggers of each workflow, its started and failed runs, and its last author', async () => {
  await examples.run('failed');
  await examples.run();
  const { data, runs_since: since } = (await admin.get(at('/workflows'))).body;
  expect(data).toMatchObject([
    { name: 'inbound-lead', version: 1, runs: 2, failed_runs: 1, applied_by: { type: 'operator' } },
  ]);
  expect(data[0].triggers).toMatchObject(Array(2).fill({ name: 'Form', active: true }));
  expect(Date.now() - Date.parse(since)).toBeGreaterThan(86_300_000);
});

test('viewers and members can read all versions, and publish none (acceptance 9)', async () => {
  const id = await examples.workflow();
  await publish(id, { text: textOf({ description: 'Mine' }), base_version: 1 });
  for (const role of ['viewer', 'member'] as const) {
    const reader = await as(role);
    const { data } = (await reader.get(at(`/workflows/${id}?version=1`))).body;
    expect(data).toMatchObject({ version: 1, newest_version: 2, definition: { name: 'inbound-lead' } });
    for (const response of [
      await publish(id, { text: textOf(), base_version: 2 }, reader),
      await reader.post(at('/workflows'), { text: textOf({ name: 'other' }) }),
      await reader.post(at('/workflows/check'), { text: textOf() }),
    ])
      expect(response.body).toMatchObject({ error: 'forbidden', required_permission: 'manage' });
  }
  expect((await admin.get(at(`/workflows/${id}`))).body.data.newest_version).toBe(2);
});

test("another organization's workflow is not found by any operation (acceptance 10)", async () => {
  const other = new Examples(served.db, (await createOrganization(served.db.database, 'Globex')).id);
  const id = await other.workflow();
  for (const response of [
    await admin.get(at(`/workflows/${id}`)),
    await admin.get(at(`/workflows/${id}/versions`)),
    await publish(id, { text: textOf({ description: 'Taken' }), base_version: 1 }),
    await publish(id, { text: 'no JSON', base_version: 1 }),
    await admin.get(at(`/workflows/${await examples.workflow()}?version=2`)),
  ]) {
    expect(response.status).toBe(404);
    expect(response.text).not.toContain('inbound-lead');
  }
});

test('publishing is in the audit log with its author and without the definition', async () => {
  const id = await examples.workflow();
  await publish(id, { text: textOf({ description: 'Secret words' }), base_version: 1, note: 'Secret note' });
  const { body, text } = await admin.get(at(`/audit?record_id=${id}`));
  expect(body.data[0]).toMatchObject({
    type: 'workflow.applied',
    actor: { type: 'user', name: 'Test admin' },
    changed: ['version', 'definition'],
  });
  expect(text).not.toMatch(/Secret/);
});
