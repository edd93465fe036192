import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import type { Preview } from '@relata/schemas/console';
import { expectWithin } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser, joinAs } from './console-client.harness.ts';
import { startTestConsole, type TestConsole } from './console.harness.ts';
import { Examples } from './examples.harness.ts';

const definition = {
  name: 'inbound-lead',
  inputs: { email: { type: 'string', format: 'email', required: true }, score: { type: 'number' } },
  steps: [{ id: 'log', use: 'activity.create', with: { content: 'From ${{ inputs.email }}' } }],
};

/** A workflow without inputs. */
const wide = {
  name: 'any',
  steps: [{ id: 'log', use: 'activity.create', with: { content: 'Something' } }],
};

let served: TestConsole;
let acme: Examples;
let globex: Examples;
let admin: Browser;
let viewer: Browser;

beforeAll(async () => {
  served = await startTestConsole();
  const { db } = served;
  acme = new Examples(db, (await createOrganization(db.database, 'Acme')).id);
  globex = new Examples(db, (await createOrganization(db.database, 'Globex')).id);
  admin = new Browser(served.url, await joinAs(db, acme.orgId, 'admin', 'admin@acme.example'));
  viewer = new Browser(served.url, await joinAs(db, acme.orgId, 'viewer', 'viewer@acme.example'));
});
afterAll(() => served[Symbol.asyncDispose]());

async function newTriggerAndWorkflow(of: unknown = definition) {
  const [triggerId, workflow_id] = [await acme.emptyTrigger(), await acme.workflow(of)];
  const path = `/orgs/${acme.orgId}/triggers/${triggerId}`;
  const preview = async (body: object): Promise<Preview> => {
    const response = await admin.post(`${path}/preview`, { workflow_id, ...body });
    expect(response.status, response.text).toBe(200);
    return response.body.data;
  };
  return { triggerId, workflow_id, path, preview };
}

const countAll = statement<{ n: number }>(
  'test.count_all',
  `SELECT (SELECT count(*) FROM trigger_workflows) + (SELECT count(*) FROM workflow_runs)
     + (SELECT count(*) FROM webhook_deliveries) + (SELECT count(*) FROM events) AS n`,
);

const count = async () => (await served.db.database.query(countAll, []))[0]!.n;

describe('the preview of a mapping', () => {
  test('previews the last deliveries as the receiver would, and writes nothing', async () => {
    const { triggerId, preview } = await newTriggerAndWorkflow();
    const ids = [
      await acme.deliver(triggerId, '{"email":"ada@acme.example","score":"7","event":"signup"}'),
      await acme.deliver(triggerId, '{"email":"nonsense","event":"signup"}'),
      await acme.deliver(triggerId, '{"email":"bob@acme.example","event":"other"}'),
      await acme.deliver(triggerId, '{"email":"eve@acme.example"}'),
    ];
    const before = await count();
    const inputs = { email: 'payload.email', score: 'payload.score' };
    const { deliveries, faults, workflow } = await preview({ inputs, filter: 'payload.event == "signup"' });
    expect(faults).toEqual([]);
    expect(workflow.inputs.map(({ name, required }) => [name, required])).toEqual([
      ['email', true],
      ['score', false],
    ]);
    expect(deliveries.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(deliveries.map(({ verdict }) => verdict)).toEqual(['filter_failed', 'filtered', 'refused', 'starts']);
    expect(deliveries[0]!.message).toMatch(/event/);
    expect(deliveries[2]!.problems).toEqual([
      { input: 'email', message: 'input "email" (from payload.email) must be an email address' },
    ]);
    expect(deliveries[3]!.inputs).toEqual({ email: '"ada@acme.example"', score: '7' });
    expect(await count()).toBe(before);
  });

  test('reports each fault of the mapping and the filter with its input, and shows as much as possible', async () => {
    const { triggerId, preview } = await newTriggerAndWorkflow();
    await acme.deliver(triggerId, '{"score":7}');
    const inputs = { score: 'payload..score', nonsense: 'payload.x' };
    const { faults, deliveries } = await preview({ inputs, filter: 'payload.event = 1' });
    expect(faults.map(({ input }) => input)).toEqual(['score', 'nonsense', 'email', null]);
    expect(faults[2]!.message).toBe('The input "email" is required. Map it.');
    expect(faults[3]!.message).toMatch(/^The filter is wrong: .*line 1, column 15/);
    expect(deliveries.map(({ verdict }) => verdict)).toEqual(['not_judged']);
    const right = await preview({ inputs: { score: 'payload.score' }, filter: '1 ==' });
    expect(right.deliveries[0]!.inputs).toEqual({ score: '7' });
  });

  test('names the step and the missing input of a run that would fail at once (found B4)', async () => {
    const make = {
      id: 'make',
      use: 'contact.create',
      with: { set: { first_name: '${{ inputs.name }}', last_name: 'Inbound' } },
    };
    const inputs = { email: { type: 'string' }, name: { type: 'string' } };
    const { triggerId, preview } = await newTriggerAndWorkflow({
      name: `makes-${crypto.randomUUID()}`,
      inputs,
      steps: [make],
    });
    await acme.deliver(triggerId, '{"name":"Ada"}');
    const unmapped = await preview({ inputs: { email: 'payload.email' } });
    expect(unmapped.deliveries).toMatchObject([
      {
        verdict: 'fails',
        fails: { step: 'make', is_certain: true, message: expect.stringContaining('No such key: name') },
      },
    ]);
    const mapped = await preview({ inputs: { name: 'payload.name' } });
    expect(mapped.deliveries).toMatchObject([{ verdict: 'starts', fails: null }]);
  });

  test('examines at most 20 deliveries and 4 MB of bodies, and says so', async () => {
    const { triggerId, preview, path, workflow_id } = await newTriggerAndWorkflow();
    const large = JSON.stringify({ email: 'ada@acme.example', text: 'x'.repeat(400_000) });
    for (let at = 0; at < 22; at++) await acme.deliver(triggerId, large);
    const inputs = { email: 'payload.email' };
    const { deliveries, limit_reached: limit } = await preview({ inputs });
    expect([deliveries.length, limit]).toEqual([20, 'bytes']);
    expect(deliveries.filter(({ verdict }) => verdict === 'starts')).toHaveLength(10);
    expect(deliveries.slice(10).every(({ verdict }) => verdict === 'not_judged')).toBe(true);
    expect((await preview({ inputs, limit: 3 })).deliveries).toHaveLength(3);
    expect((await admin.post(`${path}/preview`, { workflow_id, inputs, limit: 21 })).status).toBe(400);
  });

  test('stops after a quarter of a second of hostile expressions; other requests are answered meanwhile', async () => {
    const { triggerId, preview } = await newTriggerAndWorkflow();
    const items = Array.from({ length: 5_000 }, (_, at) => `item ${at} ${'y'.repeat(60)}`);
    for (let at = 0; at < 20; at++) await acme.deliver(triggerId, JSON.stringify({ email: 'ada@acme.example', items }));
    const hungry = Array.from({ length: 12 }, (_, at) => `payload.items.exists(i, i.contains("${at}zzzz"))`);
    const failed = await preview({ inputs: { email: 'payload.email' }, filter: hungry.join(' || ') });
    expect(failed.deliveries[0]).toMatchObject({
      verdict: 'filter_failed',
      message: expect.stringContaining('takes too long'),
    });
    expect(failed.deliveries).toHaveLength(20);

    const names = Array.from({ length: 100 }, (_, at) => `i${at}`);
    const greedy = await acme.workflow({
      ...wide,
      inputs: Object.fromEntries(names.map((name) => [name, { type: 'object' }])),
    });
    const inputs = Object.fromEntries(names.map((name) => [name, 'payload']));
    await expectWithin(4_000, async () => {
      const previewed = preview({ workflow_id: greedy, inputs });
      const responses = await Promise.all(Array.from({ length: 5 }, () => admin.get('/me')));
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      const { deliveries, limit_reached: limit } = await previewed;
      expect(limit).toBe('time');
      expect(deliveries.at(-1)!.verdict).toBe('not_judged');
    });
  });

  test('shows only the beginning of long values, including texts and objects that no page could show', async () => {
    const { triggerId, preview } = await newTriggerAndWorkflow({
      ...wide,
      inputs: { text: { type: 'string' }, all: { type: 'object' } },
    });
    await acme.deliver(triggerId, JSON.stringify({ text: '😀'.repeat(5_000), huge: { n: 'x'.repeat(9_000) } }));
    await acme.deliver(
      triggerId,
      '{"text":12345678901234567890,"__proto__":{"a":1},"huge":{"n":12345678901234567890}}',
    );
    const { deliveries } = await preview({ inputs: { text: 'payload.text', all: 'payload.huge' } });
    expect(deliveries[0]!.inputs).toEqual({ text: '"12345678901234567890"', all: '{"n":"12345678901234567890"}' });
    for (const text of Object.values(deliveries[1]!.inputs)) expect(text.length).toBeLessThan(210);
    expect(deliveries[1]!.inputs['text']!.isWellFormed()).toBe(true);
  });

  test('refuses a workflow or trigger of another organization, and viewers', async () => {
    const { path, workflow_id } = await newTriggerAndWorkflow();
    const foreign = { trigger: await globex.trigger(), workflow: await globex.workflow() };
    const inputs = { email: 'payload.email' };
    const ofForeign = `/orgs/${acme.orgId}/triggers/${foreign.trigger}`;
    for (const act of ['preview', 'assignments']) {
      const responses = [
        await admin.post(`${path}/${act}`, { workflow_id: foreign.workflow, inputs }),
        await admin.post(`${ofForeign}/${act}`, { workflow_id, inputs }),
        await admin.post(`/orgs/${globex.orgId}/triggers/${foreign.trigger}/${act}`, { workflow_id, inputs }),
      ];
      expect(responses.map(({ status }) => status)).toEqual([404, 404, 404]);
      expect(responses.every(({ text }) => !text.includes('inbound'))).toBe(true);
      const refused = await viewer.post(`${path}/${act}`, { workflow_id, inputs });
      expect(refused.body).toMatchObject({ error: 'forbidden', required_permission: 'manage' });
    }
    expect((await viewer.get(`${path}/assignable`)).body.data.map(({ name }: { name: string }) => name)).toContain(
      'inbound-lead',
    );
  });
});

test('a mapping is saved and removed as in the CLI; one that cannot work is refused with the same message', async () => {
  const { path, workflow_id } = await newTriggerAndWorkflow();
  const assigned = {
    workflow_id,
    inputs: { email: 'payload.email', score: { const: 5 } },
    filter: 'payload.ok == true',
  };
  const saved = await admin.post(`${path}/assignments`, assigned);
  expect(saved.body.data.assignments).toEqual([expect.objectContaining(assigned)]);
  const refused = await admin.post(`${path}/assignments`, { workflow_id, inputs: {} });
  expect(refused.body).toMatchObject({ error: 'validation_error' });
  expect(refused.text).toContain('is required. Map it.');
  const ended = await admin.post(`${path}/assignments/remove`, { workflow_id });
  expect(ended.body.data.assignments).toEqual([]);
  expect((await admin.post(`${path}/assignments/remove`, { workflow_id })).status).toBe(404);
});
