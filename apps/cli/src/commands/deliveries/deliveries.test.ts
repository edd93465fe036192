import { createOrganization } from '@relata/auth';
import { findRun } from '@relata/workflows/runs';
import { expect, test } from 'vitest';
import { deliver, fail, makeAssigned, refuse, setUpAssigned } from './deliveries.harness.ts';
import { makeAssignment } from '../workflows/workflows.harness.ts';

const { cli, acme, globex } = setUpAssigned();

const idsOf = (list: { id: string }[]) => list.map(({ id }) => id);

test('lists the deliveries of all organizations, one organization or one trigger, newest first and page by page', async () => {
  const made = [];
  for (const owner of [acme, globex, acme]) made.push((await deliver(cli.database(), owner, '{}')).id);
  const [first, second, third] = made;
  expect(idsOf(await cli.json('deliveries', 'list', '--limit', '2'))).toEqual([third, second]);
  expect(idsOf(await cli.json('deliveries', 'list', '--before', second!))).toEqual([first]);
  expect(idsOf(await cli.json('deliveries', 'list', '--trigger', globex.triggerId))).toEqual([second]);
  const { stdout } = await cli.run(['deliveries', 'list', '--org', acme.orgId]);
  expect(stdout).toMatch(new RegExp(`^ID .*\n${third} .* inbound-lead queued\n${first} .*\n$`));
  expect((await cli.run(['deliveries', 'list', '--org', acme.orgId, '--limit', '2'])).stdout).not.toContain('more');
  const { stdout: page } = await cli.run(['deliveries', 'list', '--org', acme.orgId, '--limit', '1']);
  expect(page).toMatch(new RegExp(`^ID .*\n${third} .*\n\nThere are more rows\\. Next page: --before ${third}\n$`));
  const elsewhere = ['--trigger', globex.triggerId, '--org', acme.orgId];
  expect(await cli.fault('deliveries', 'list', ...elsewhere)).toMatchObject({ code: 3 });
});

test('a delivery is shown with its body as received, and every field under its path', async () => {
  const body = '{ "user": {"email":"ada@example.com", "__proto__": 1}, "tags": ["a"], "odd":"\\u0000", "n": 1.0 }';
  const { id, runId } = await deliver(cli.database(), acme, body);
  expect(await cli.json('deliveries', 'show', id)).toMatchObject({
    id,
    trigger: 'Web form',
    headers: { 'x-event': 'signup' },
    body,
    payload: { tags: ['a'], odd: '\u0000' },
    fields: {
      'payload.user.email': 'ada@example.com',
      'payload.user.__proto__': 1,
      'payload.tags.0': 'a',
      'payload.odd': '\u0000',
      'payload.n': 1,
    },
    runs: [{ id: runId, workflow: 'inbound-lead', status: 'queued', replay: 0 }],
  });
  const { stdout } = await cli.run(['deliveries', 'show', id]);
  expect(stdout).toMatch(/^payload\.user\.email +"ada@example\.com"$/m);
  expect(await cli.fault('deliveries', 'show', acme.orgId)).toMatchObject({ code: 3, error: 'not_found' });
});

test('a delivery is shown with all digits of a whole number beyond 2^53', async () => {
  const { id } = await deliver(cli.database(), acme, '{"id":820982911946154508}');
  expect(await cli.json('deliveries', 'show', id)).toMatchObject({
    payload: { id: '820982911946154508' },
    fields: { 'payload.id': '820982911946154508' },
  });
  const { stdout } = await cli.run(['deliveries', 'show', id]);
  expect(stdout).toMatch(/^payload\.id +"820982911946154508"$/m);
});

test('a field whose name is 400 KB of dots is not shown, because no input can be mapped to it', async () => {
  const { id } = await deliver(cli.database(), acme, JSON.stringify({ a: { b: 1, ['.'.repeat(400_000)]: 2 } }));
  expect((await cli.json('deliveries', 'show', id)).fields).toEqual({ 'payload.a.b': 1 });
  expect((await cli.run(['deliveries', 'show', id])).stdout).toMatch(/^payload\.a\.b {2}1$/m);
});

test('a body that is not text is shown in base64', async () => {
  const { id } = await deliver(cli.database(), acme, Buffer.from([0xff, 0x00]));
  expect(await cli.json('deliveries', 'show', id)).toMatchObject({ body_base64: '/wA=', fields: {} });
  expect(await cli.fault('deliveries', 'replay', id)).toMatchObject({ code: 1, error: 'conflict' });
});

test('a replay starts new runs with the current mapping, even if the trigger is not active', async () => {
  const { id } = await deliver(cli.database(), acme, '{"email":"ada@example.com","mail":"eve@example.com"}');
  await assign('payload.mail');
  await cli.json('triggers', 'disable', acme.triggerId);
  const replayed = await cli.json('deliveries', 'replay', id);
  expect(replayed).toMatchObject({ id, runs: [expect.any(String)], skipped: [] });
  expect(await findRun(cli.database(), acme.orgId, replayed.runs[0])).toMatchObject({
    delivery_id: id,
    replay: 1,
    inputs: { email: 'eve@example.com' },
  });
  expect((await cli.json('deliveries', 'replay', id)).runs).not.toEqual(replayed.runs);
});

test('a replay names the steps that earlier runs have finished, because it executes them again', async () => {
  const { id, runId } = await deliver(cli.database(), globex, '{"email":"ada@example.com"}');
  await fail(cli.database(), globex.orgId, runId);
  const { stdout } = await cli.run(['deliveries', 'replay', id]);
  expect(stdout).toContain('inbound-lead: these steps were finished by earlier runs and will be repeated: log.');
  expect(await cli.json('deliveries', 'replay', id)).toMatchObject({
    repeated: [{ workflow_id: globex.workflowId, workflow: 'inbound-lead', steps: ['log'] }],
  });
});

test('a replay that lacks a required input starts no run and names the input', async () => {
  const { id } = await deliver(cli.database(), acme, '{}');
  await assign('payload.user.email');
  expect(await cli.fault('deliveries', 'replay', id)).toMatchObject({
    code: 2,
    error: 'validation_error',
    message: expect.stringContaining('input "email" (from payload.user.email)'),
  });
  expect(await cli.json('deliveries', 'show', id)).toMatchObject({ replays: 0, runs: [{ replay: 0 }] });
});

test('workflows that a delivery did not start are replayed once; a second replay is refused and suggests --all', async () => {
  const refused = await makeAssigned(cli.database());
  const { workflowId } = refused;
  const message = 'input "email" (from payload.email) is required';
  const problems = [{ input: 'email', field: 'payload.email', code: 'required' as const, message }];
  const id = await refuse(cli.database(), refused, { workflow_id: workflowId, reason: 'refused', problems });
  expect((await cli.run(['deliveries', 'show', id])).stdout).toMatch(`${workflowId}  refused  ${message}`);
  expect((await cli.json('deliveries', 'replay', id)).runs).toHaveLength(1);
  expect((await cli.run(['deliveries', 'show', id])).stdout).toMatch(`${workflowId}  replayed  started by a replay`);
  expect(await cli.fault('deliveries', 'replay', id)).toMatchObject({
    error: 'conflict',
    message: expect.stringMatching(/were already replayed\. To start all workflows of its trigger, add --all\./),
  });
  expect((await cli.json('deliveries', 'replay', id, '--all')).runs).toHaveLength(1);
  expect((await cli.json('deliveries', 'show', id)).runs).toHaveLength(2);
});

test('the list is empty for an organization without deliveries; an unknown organization is not found', async () => {
  const { id } = await createOrganization(cli.database(), 'Empty');
  expect(await cli.json('deliveries', 'list', '--org', id)).toEqual([]);
  expect(await cli.fault('deliveries', 'list', '--org', acme.triggerId)).toMatchObject({ code: 3 });
});

function assign(email: string) {
  const { orgId, triggerId, workflowId } = acme;
  return makeAssignment(cli.database(), orgId, { triggerId, workflowId, inputs: { email } });
}
