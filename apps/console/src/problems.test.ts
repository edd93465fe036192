import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser, joinAs } from './console-client.harness.ts';
import { startTestConsole, type TestConsole } from './console.harness.ts';
import { Examples, type MadeRuns } from './examples.harness.ts';

const badStatus = { code: 'bad_status', message: 'partner.example answered 503.' };

let served: TestConsole;
let number = 0;
beforeAll(async () => void (served = await startTestConsole()));
afterAll(() => served[Symbol.asyncDispose]());

/** Creates an organization, and the browser of a member. */
async function newOrg(role: 'viewer' | 'member' = 'member') {
  const { id } = await createOrganization(served.db.database, `Acme ${++number}`);
  const browser = new Browser(served.url, await joinAs(served.db, id, role, `p${number}@acme.example`));
  return {
    examples: new Examples(served.db, id),
    get: async (path: string) => (await browser.get(`/orgs/${id}${path}`)).body,
    post: (path: string, body: unknown) => browser.post(`/orgs/${id}${path}`, body),
  };
}

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);

const copyRuns = statement<never>(
  'test.copy_runs',
  `INSERT INTO workflow_runs (org_id, id, workflow_id, version, delivery_id, trigger_id, replay, inputs, status, error,
     created_at, finished_at)
   SELECT org_id, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, workflow_id, version, delivery_id,
     trigger_id, n, inputs, status, error, created_at, finished_at
   FROM workflow_runs, generate_series(1, $2::integer) n WHERE id = $1`,
);

/** Adds older copies of a run. */
const addOlder = (id: string, count: number) => served.db.database.query(copyRuns, [id, count]);

describe('problems', () => {
  test('failed runs with the same workflow, step and code are one problem, whatever the loop item and the message', async () => {
    const { examples, get } = await newOrg();
    const { ids, workflowId } = await examples.runs(5);
    for (const at of [0, 1, 2])
      await examples.fail([ids[at]!], { ...badStatus, message: `Answer ${at}.`, step: `each[${at}].send` });
    await examples.fail([ids[3]!], { code: 'run_too_large', message: 'Too large.' });
    expect(await get('/problems')).toMatchObject({
      data: [
        {
          workflow_id: workflowId,
          workflow: 'inbound-lead',
          step: 'each.send',
          code: 'bad_status',
          runs: 3,
          message: 'Answer 2.',
          examples: [ids[2], ids[1], ids[0]],
        },
        { step: '-', code: 'run_too_large', runs: 1, examples: [ids[3]] },
      ],
      looked_at: 4,
      looked_back_to: null,
      has_more: false,
    });
    const cause = `status=failed&workflow=${workflowId}&step=each.send&code=bad_status`;
    expect(idsOf((await get(`/runs?${cause}`)).data)).toEqual([ids[2], ids[1], ids[0]]);
    expect(idsOf((await get('/runs?status=failed&step=-')).data)).toEqual([ids[3]]);
  });

  test('without failed runs the list is empty, even if another organization has some', async () => {
    const { examples } = await newOrg();
    await examples.fail((await examples.runs(1)).ids, badStatus);
    const { get } = await newOrg();
    const counts = { open: 0, resolved: 0, ignored: 0 };
    expect(await get('/problems')).toEqual({ data: [], counts, looked_at: 0, looked_back_to: null, has_more: false });
  });

  test('the newest 10,000 failed runs are examined, and the response says that one more was left out', async () => {
    const { examples, get } = await newOrg();
    const { ids } = await examples.runs(1);
    await examples.fail(ids, { ...badStatus, step: 'log' });
    await addOlder(ids[0]!, 10_000);
    const { data, looked_at: lookedAt, looked_back_to: back } = await get('/problems');
    expect([data[0].runs, lookedAt, typeof back]).toEqual([10_000, 10_000, 'string']);
  });

  test('a hundred problems are listed, and the response says that there is one more', async () => {
    const { examples, get } = await newOrg();
    const { ids } = await examples.runs(101);
    for (const [at, id] of ids.entries()) await examples.fail([id], { code: `code_${at}`, message: 'No.' });
    const { data, has_more: hasMore } = await get('/problems');
    expect([data.length, hasMore]).toEqual([100, true]);
  });
});

describe('the retry of a problem', () => {
  test('queues the runs of that cause page by page, the newest first, and no others', async () => {
    const { examples, get, post } = await newOrg();
    const { ids, workflowId } = await examples.runs(6);
    await examples.fail(ids.slice(0, 5), { ...badStatus, step: 'log' });
    await examples.fail([ids[5]!], { ...badStatus, step: 'notify' });
    const cause = { workflow: workflowId, step: 'log', code: 'bad_status' };
    const first = await post('/problems/retry', { ...cause, limit: 3 });
    expect(first.body.data).toMatchObject({ retried: [{ id: ids[4], status: 'queued' }, {}, {}], next: ids[2] });
    const second = await post('/problems/retry', { ...cause, limit: 3, before: ids[2] });
    expect([idsOf(second.body.data.retried), second.body.data.next]).toEqual([[ids[1], ids[0]], null]);
    expect(idsOf((await get('/runs?status=failed')).data)).toEqual([ids[5]]);
    const states = await post('/runs/states', { ids: [ids[5], ids[0]] });
    expect(states.body.data).toEqual([
      { id: ids[5], status: 'failed' },
      { id: ids[0], status: 'queued' },
    ]);
  });

  test('refuses more than its limits, and viewers', async () => {
    const { post } = await newOrg();
    const cause = { workflow: crypto.randomUUID(), step: 'log', code: 'x' };
    expect((await post('/problems/retry', { ...cause, limit: 200 })).body.data).toEqual({
      retried: [],
      refused: [],
      next: null,
    });
    expect((await post('/problems/retry', { ...cause, limit: 201 })).body.details[0].field).toBe('limit');
    const ids = Array.from({ length: 1_001 }, () => crypto.randomUUID());
    expect((await post('/runs/states', { ids: ids.slice(1) })).body).toEqual({ data: [] });
    expect((await post('/runs/states', { ids })).body.details[0].field).toBe('ids');
    const viewer = await newOrg('viewer');
    expect((await viewer.post('/problems/retry', cause)).body).toMatchObject({ required_permission: 'work' });
  });

  test("another organization's workflow and runs are neither retried nor shown", async () => {
    const { examples, get } = await newOrg();
    const { ids, workflowId } = await examples.runs(1);
    await examples.fail(ids, { ...badStatus, step: 'log' });
    const other = await newOrg();
    const cause = { workflow: workflowId, step: 'log', code: 'bad_status' };
    expect((await other.post('/problems/retry', cause)).body.data).toEqual({ retried: [], refused: [], next: null });
    expect((await other.post('/runs/states', { ids })).body.data).toEqual([]);
    for (const query of [`workflow=${workflowId}`, `before=${ids[0]}`])
      expect((await other.get(`/runs?${query}`)).data).toEqual([]);
    expect(idsOf((await get('/runs?status=failed')).data)).toEqual(ids);
  });
});

describe('filters', () => {
  let org: Awaited<ReturnType<typeof newOrg>>;
  let one: MadeRuns;
  let other: MadeRuns;
  let alone: string;
  beforeAll(async () => {
    org = await newOrg();
    one = await org.examples.runs(3);
    other = await org.examples.runs(1);
    alone = await org.examples.delivery();
    await org.examples.fail([one.ids[1]!], badStatus);
  });

  test('filter deliveries by outcome, workflow and trigger, page by page', async () => {
    const list = async (query: string) => idsOf((await org.get(`/deliveries?${query}`)).data);
    const started = [...other.deliveries, ...one.deliveries.toReversed()];
    expect(await list('outcome=nothing')).toEqual([alone]);
    expect(await list('outcome=started')).toEqual(started);
    expect(await list('outcome=failed')).toEqual([one.deliveries[1]]);
    expect(await list(`workflow=${one.workflowId}`)).toEqual(started);
    expect(await list(`outcome=nothing&workflow=${one.workflowId}`)).toEqual([alone]);
    expect(await list(`outcome=started&trigger=${other.triggerId}`)).toEqual(other.deliveries);
    const first = await org.get('/deliveries?outcome=started&limit=2');
    expect([idsOf(first.data), first.next]).toEqual([started.slice(0, 2), started[1]]);
    const last = await org.get(`/deliveries?outcome=started&limit=2&before=${first.next}`);
    expect([idsOf(last.data), last.next, last.has_more]).toEqual([started.slice(2), null, false]);
  });

  test('from and to filter both lists by time of creation; an instant without a zone is refused', async () => {
    const [hourAgo, inAnHour] = [-1, 1].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
    for (const [path, count] of [
      ['/deliveries', 5],
      ['/runs', 4],
    ] as const) {
      const count_ = async (query: string) => (await org.get(`${path}?${query}`)).data.length;
      expect(await count_(`from=${hourAgo}&to=${inAnHour}`)).toBe(count);
      expect(await count_(`from=${inAnHour}`)).toBe(0);
      expect(await count_(`to=${hourAgo}`)).toBe(0);
      expect(await count_('from=0001-01-01T00:00:00Z&to=9999-12-31T00:00:00Z')).toBe(count);
      expect((await org.get(`${path}?from=2026-01-31T09:30`)).details[0].field).toBe('from');
    }
    const ids = [...other.ids, ...one.ids.toReversed()];
    const { data } = await org.get(`/runs?from=${hourAgo}&before=${ids[1]}`);
    expect(idsOf(data)).toEqual(ids.slice(2));
  });

  test('at most 10,000 runs that do not match are examined, and the next page continues after them', async () => {
    const { examples, get } = await newOrg();
    const { ids } = await examples.runs(1);
    await addOlder(ids[0]!, 10_000);
    const oldest = '01900000-0000-7000-8000-000000000001';
    await examples.fail([oldest], badStatus);
    await served.db.database.query(cancel, [oldest]);
    const first = await get('/runs?status=cancelled');
    expect(first).toMatchObject({ data: [], has_more: true });
    const second = await get(`/runs?status=cancelled&before=${first.next}`);
    expect([idsOf(second.data), second.next]).toEqual([[oldest], null]);
  });
});

const cancel = statement<never>('test.cancel', `UPDATE workflow_runs SET status = 'cancelled' WHERE id = $1`);

describe('refused posts', () => {
  test('are listed by trigger and time with the reason, and with the body if the secret was right', async () => {
    const { examples, get } = await newOrg('viewer');
    const { triggerId, ids } = await examples.refusals(3);
    await examples.refusals(1);
    const { data } = await get(`/refusals?trigger=${triggerId}`);
    expect(idsOf(data)).toEqual(ids.toReversed());
    expect(data[0]).toMatchObject({ status: 400, reason: 'invalid_input', field: 'email', body: '{"mail":"a"}' });
    expect(data[1]).toMatchObject({ status: 401, message: 'The secret is wrong.', body: null });
    const first = await get(`/refusals?trigger=${triggerId}&limit=2`);
    expect([first.data.length, first.has_more]).toEqual([2, true]);
    expect(idsOf((await get(`/refusals?trigger=${triggerId}&before=${ids[1]}`)).data)).toEqual([ids[0]]);
    expect((await get(`/refusals?from=${new Date(Date.now() + 60_000).toISOString()}`)).data).toEqual([]);
    expect((await get(`/triggers/${triggerId}/refusals`)).data).toMatchObject([
      { reason: 'invalid_input', refused: 2 },
      { reason: 'unauthorized', refused: 1 },
    ]);
  });

  test('at most 100 with and 100 without the right secret are stored per trigger; none of another organization are shown', async () => {
    const { examples, get } = await newOrg();
    const { triggerId } = await examples.refusals(200);
    await examples.refusals(2, triggerId);
    const { data } = await get(`/refusals?trigger=${triggerId}&limit=100`);
    const rest = await get(`/refusals?trigger=${triggerId}&limit=100&before=${data.at(-1).id}`);
    expect([data.length + rest.data.length, rest.has_more]).toEqual([200, false]);
    const other = await newOrg();
    expect((await other.get(`/refusals?trigger=${triggerId}`)).data).toEqual([]);
    expect(await other.get(`/triggers/${triggerId}/refusals`)).toMatchObject({ error: 'not_found' });
  });
});
