import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser, joinAs } from './console-client.harness.ts';
import { startTestConsole, type TestConsole } from './console.harness.ts';
import { Examples } from './examples.harness.ts';

let served: TestConsole;
let examples: Examples;
let viewer: Browser;
beforeAll(async () => {
  served = await startTestConsole();
  const { id } = await createOrganization(served.db.database, 'Acme');
  examples = new Examples(served.db, id);
  viewer = new Browser(served.url, await joinAs(served.db, id, 'viewer', 'grace@acme.example'));
});
afterAll(() => served[Symbol.asyncDispose]());

const get = (path: string) => viewer.get(`/orgs/${examples.orgId}${path}`);

const wait = statement<never>(
  'test.wait',
  `WITH step AS (
     INSERT INTO workflow_run_steps (org_id, run_id, path, position, use, status, attempts, error, wake_at, started_at)
     VALUES ($1, $2, $3, 0, $4, 'waiting', $5, $6, now() + interval '1 hour', now())
   )
   UPDATE workflow_runs SET status = 'waiting', due_at = now() + interval '1 hour' WHERE org_id = $1 AND id = $2`,
);

test('lists the waiting runs whose step will be tried again, each with its next attempt', async () => {
  const { ids, workflowId } = await examples.runs(3);
  const [retrying, delayed] = ids as [string, string, string];
  const error = JSON.stringify({ code: 'bad_status', message: 'partner.example answered 503.' });
  await served.db.owner.query(wait, [examples.orgId, retrying, 'each[2].send', 'http.request', 2, error]);
  await served.db.owner.query(wait, [examples.orgId, delayed, 'pause', 'delay', 1, null]);
  const { body } = await get(`/runs?status=retrying&workflow=${workflowId}`);
  expect(body.data).toHaveLength(1);
  expect(body.data[0]).toMatchObject({
    id: retrying,
    status: 'waiting',
    retry: { step: 'each[2].send', attempt: 3, message: 'partner.example answered 503.' },
  });
  const waiting = await get(`/runs?status=waiting&workflow=${workflowId}`);
  expect(waiting.body.data.map(({ retry }: { retry: unknown }) => retry === null)).toEqual([true, false]);
});

test.each(['step=log', 'code=timeout', 'status=waiting&step=log', 'status=retrying&code=timeout&step=log'])(
  'a cause filters failed runs only: %s is refused with an explanation',
  async (query) => {
    const { status, body } = await get(`/runs?${query}`);
    expect(status).toBe(400);
    const named = new Set([...query.matchAll(/(step|code)=/g)].map(([, name]) => name));
    expect(new Set(body.details.map(({ field }: { field: string }) => field))).toEqual(named);
    expect(body.details[0]).toMatchObject({ in: 'query', code: 'conflicting_parameters' });
    expect((await get(`/runs?${query.replace(/status=\w+&/, '')}&status=failed`)).status).toBe(200);
  },
);

test('the values of a step are read separately, and an unknown step has none', async () => {
  const [id] = (await examples.runs(1)).ids as [string];
  await served.db.owner.query(wait, [examples.orgId, id, 'pause', 'delay', 1, null]);
  const { body } = await get(`/runs/${id}`);
  expect(Object.keys(body.data.steps[0])).not.toContain('input');
  expect((await get(`/runs/${id}/step?path=pause`)).body).toEqual({ data: { input: null, output: null } });
  expect((await get(`/runs/${id}/step?path=other`)).status).toBe(404);
});
