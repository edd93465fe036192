import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { noopBus, operatorActor } from '@relata/events';
import { assignWorkflow, unassignWorkflow } from '@relata/workflows';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser, joinAs } from './console-client.harness.ts';
import { startTestConsole, type TestConsole } from './console.harness.ts';
import { Examples } from './examples.harness.ts';

const refused = { step: 'log', code: 'validation_error', message: 'content: Is required.' };

let served: TestConsole;
let number = 0;
beforeAll(async () => void (served = await startTestConsole()));
afterAll(() => served[Symbol.asyncDispose]());

/** Creates an organization with three runs that failed for one cause, and the browser of a member. */
async function newProblem(role: 'viewer' | 'member' = 'member') {
  const { id: orgId } = await createOrganization(served.db.database, `Problems ${++number}`);
  const browser = new Browser(served.url, await joinAs(served.db, orgId, role, `q${number}@acme.example`));
  const examples = new Examples(served.db, orgId);
  const made = await examples.runs(5);
  await examples.fail(made.ids.slice(0, 3), refused);
  const cause = { workflow: made.workflowId, step: 'log', code: refused.code };
  const list = async (state: string) => (await browser.get(`/orgs/${orgId}/problems?state=${state}`)).body;
  return {
    ...made,
    orgId,
    examples,
    cause,
    list,
    post: (path: string, body: object) => browser.post(`/orgs/${orgId}${path}`, body),
    set: (state: string, more: object = {}) =>
      browser.post(`/orgs/${orgId}/problems/state`, { ...cause, state, ...more }),
    counts: async () => (await list('open')).counts,
    runs: async () =>
      (await browser.get(`/orgs/${orgId}/runs`)).body.data as { id: string; status: string; replay: number }[],
  };
}

type Given = Awaited<ReturnType<typeof newProblem>>;

const backdate = statement<never>(
  'test.backdate_failure',
  `UPDATE workflow_runs SET finished_at = finished_at - interval '1 hour' WHERE id = $1`,
);

describe('a problem that is put aside', () => {
  test('a resolved problem stays closed until its cause fails again, and then says so (found B3)', async () => {
    const { list, set, counts, examples, ids } = await newProblem();
    expect((await set('resolved')).body.data).toMatchObject({
      state: 'resolved',
      runs: 3,
      put_aside: { runs_since: 0 },
    });
    expect(await counts()).toEqual({ open: 0, resolved: 1, ignored: 0 });
    expect((await list('open')).data).toEqual([]);
    await examples.fail([ids[3]!], refused);
    const by = { type: 'user', name: `Q${number}` };
    expect((await list('open')).data).toMatchObject([
      { state: 'open', runs: 4, put_aside: { state: 'resolved', version: 1, runs_since: 1, by: { type: by.type } } },
    ]);
    await set('resolved');
    expect(await counts()).toEqual({ open: 0, resolved: 1, ignored: 0 });
    await set('open');
    expect((await list('open')).data).toMatchObject([{ put_aside: null }]);
  });

  test('a run that is retried and fails again reopens a resolved problem, even if the number of runs is the same (found B3)', async () => {
    const { set, counts, examples, ids } = await newProblem();
    await set('resolved');
    await examples.requeue(ids[1]!);
    expect(await counts()).toMatchObject({ resolved: 1 });
    await examples.fail([ids[1]!], refused);
    expect(await counts()).toEqual({ open: 1, resolved: 0, ignored: 0 });
  });

  test('an unseen failure reopens a problem, even if it began earlier and was committed late (found B3)', async () => {
    const { set, counts, examples, ids, list } = await newProblem();
    const { runs, last_failed_at } = (await list('open')).data[0];
    await examples.fail([ids[3]!], refused);
    await set('resolved', { seen: { runs, last_failed_at } });
    expect(await counts()).toMatchObject({ open: 1, resolved: 0 });
    await set('resolved', { seen: { runs: 9_999, last_failed_at: '9999-01-01T00:00:00Z' } });
    expect(await counts()).toMatchObject({ open: 0, resolved: 1 });
    await examples.fail([ids[4]!], refused);
    await served.db.database.query(backdate, [ids[4]]);
    expect(await counts()).toMatchObject({ open: 1, resolved: 0 });
  });

  test('an ignored problem stays ignored while it is counted, until it is reopened (found B3)', async () => {
    const { list, set, counts, examples, ids } = await newProblem();
    await set('ignored');
    await examples.fail([ids[3]!], refused);
    expect(await counts()).toEqual({ open: 0, resolved: 0, ignored: 1 });
    expect((await list('ignored')).data).toMatchObject([{ runs: 4, put_aside: { state: 'ignored', runs_since: 1 } }]);
    await set('open');
    expect(await counts()).toEqual({ open: 1, resolved: 0, ignored: 0 });
  });

  test('state changes of problems are in the audit log, once per change (found B3)', async () => {
    const { set, orgId } = await newProblem();
    for (const state of ['open', 'ignored', 'ignored', 'resolved', 'open']) expect((await set(state)).status).toBe(200);
    const rows = await served.db.database.query(problemEvents, [orgId]);
    expect(rows.map(({ type }) => type)).toEqual(['problem.ignored', 'problem.resolved', 'problem.reopened']);
    expect(rows[1]).toMatchObject({ record: { step: 'log', state: 'resolved' }, previous: { state: 'ignored' } });
  });

  test('viewers are refused, and a cause without failures or of another organization is not found (found B3)', async () => {
    const viewer = await newProblem('viewer');
    expect((await viewer.set('resolved')).body).toMatchObject({ required_permission: 'work' });
    const { post } = await newProblem();
    for (const cause of [viewer.cause, { ...viewer.cause, workflow: crypto.randomUUID() }])
      expect((await post('/problems/state', { ...cause, state: 'ignored' })).status).toBe(404);
    expect(await viewer.counts()).toEqual({ open: 1, resolved: 0, ignored: 0 });
  });
});

const problemEvents = statement<{ type: string; record: object; previous: object }>(
  'test.problem_events',
  `SELECT type, record, previous FROM events WHERE org_id = $1 AND type LIKE 'problem.%' ORDER BY seq`,
);

describe('the replay of a problem', () => {
  test('starts only its workflow, once per delivery, and the problem disappears (found B3)', async () => {
    const { examples, triggerId, post, cause, counts, runs, ids } = await newProblem();
    const other = { name: 'other', steps: [{ id: 'log', use: 'activity.create', with: { content: 'x' } }] };
    await examples.assign(triggerId, other, 'true');
    const version = await examples.publish({ description: 'Mended' });
    const first = (await post('/problems/replay', { ...cause, limit: 2 })).body.data;
    expect(first.started.map(({ replaces }: { replaces: string }) => replaces)).toEqual([ids[2], ids[1]]);
    const [again, rest] = await Promise.all([
      post('/problems/replay', cause),
      post('/problems/replay', { ...cause, before: first.next }),
    ]);
    expect(again.body.data.started.length + rest.body.data.started.length).toBe(1);
    expect((await post('/problems/replay', cause)).body.data).toEqual({ started: [], refused: [], next: null });
    expect((await runs()).filter(({ replay }) => replay > 0)).toMatchObject(
      Array(3).fill({ version, status: 'queued' }),
    );
    expect(await counts()).toEqual({ open: 0, resolved: 0, ignored: 0 });
    // Retrying them as well would repeat their effects.
    expect((await post('/problems/retry', cause)).body.data.retried).toEqual([]);
  });

  test('reports why a run cannot be started, and keeps it as a problem (found B3)', async () => {
    const { triggerId, post, cause, counts, ids, workflowId, orgId } = await newProblem();
    const [context, actor] = [{ database: served.db.database, bus: noopBus }, operatorActor(orgId, 'test')];
    const reasons = async () => {
      const { started, refused } = (await post('/problems/replay', cause)).body.data;
      expect(started).toEqual([]);
      return new Map(refused.map(({ id, message }: { id: string; message: string }) => [id, message]));
    };
    const email = { email: 'payload.mail' };
    await assignWorkflow(context, actor, { triggerId, workflowId, inputs: email });
    expect((await reasons()).get(ids[0]!)).toBe('input "email" (from payload.mail) is required.');
    const filter = 'payload.email == "none"';
    await assignWorkflow(context, actor, { triggerId, workflowId, inputs: { email: 'payload.email' }, filter });
    expect((await reasons()).get(ids[0]!)).toBe('The current filter of the workflow excludes the delivery.');
    await unassignWorkflow(context, actor, { triggerId, workflowId });
    expect((await reasons()).get(ids[2]!)).toBe('The trigger Form no longer starts this workflow.');
    expect(await counts()).toMatchObject({ open: 1 });
  });
});

test('a problem is retried with the newest version, and a run that cannot continue with it says why (found B3)', async () => {
  const { examples, post, cause, runs, ids }: Given = await newProblem();
  const inputs = { email: { type: 'string', required: true }, plan: { type: 'string', required: true } };
  await examples.publish({ inputs });
  const { data } = (await post('/problems/retry', { ...cause, latest: true })).body;
  expect(data).toMatchObject({ retried: [], refused: [{ id: ids[2] }, {}, {}] });
  expect(data.refused[0].message).toContain('input "plan" is required');
  const version = await examples.publish({ description: 'Mended' });
  const mended = (await post('/problems/retry', { ...cause, latest: true })).body.data;
  expect(mended).toMatchObject({ retried: [{ id: ids[2], version, status: 'queued' }, {}, {}], refused: [] });
  expect((await runs()).filter(({ status }) => status === 'failed')).toEqual([]);
});
