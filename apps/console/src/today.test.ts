import { type Statement, statement } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startViewedConsole, type ViewedConsole } from './viewed-console.harness.ts';

let site: ViewedConsole;
let served: ViewedConsole['served'];
let acme: ViewedConsole['acme'];
let viewer: ViewedConsole['viewer'];

beforeAll(async () => {
  site = await startViewedConsole();
  ({ served, acme, viewer } = site);
});
afterAll(() => site[Symbol.asyncDispose]());

const today = async () => (await viewer.get(`/orgs/${acme.orgId}/today`)).body.data;

test('each first step of an organization is done once its object exists', async () => {
  const none = { key: false, trigger: false, delivery: false, workflow: false, mapping: false, colleague: false };
  expect((await today()).steps).toEqual(none);
  await acme.key();
  const id = await acme.emptyTrigger();
  expect((await today()).steps).toEqual({ ...none, key: true, trigger: true });
  await acme.deliver(id, '{}');
  await acme.trigger();
  expect((await today()).steps).toEqual({
    ...none,
    key: true,
    trigger: true,
    delivery: true,
    workflow: true,
    mapping: true,
  });
  await acme.member();
  expect((await today()).steps.colleague).toBe(true);
});

test('the day has 24 hours, the newest data is in the last one, and open work is counted', async () => {
  const { ids } = await acme.runs(3);
  await acme.fail(ids.slice(0, 2), { step: 'log', code: 'bad_status', message: 'Refused.' });
  const { hours, failed_runs, problems, waiting_runs, unsent_demo_requests } = await today();
  expect(hours).toHaveLength(24);
  // Deliveries of this test may belong to the previous hour.
  expect(hours.at(-1).deliveries + hours.at(-2).deliveries).toBeGreaterThanOrEqual(4);
  const runs = [hours.at(-2).runs, hours.at(-1).runs];
  expect(runs.reduce((sum, { started }) => sum + started, 0)).toBe(3);
  expect(runs.reduce((sum, { failed }) => sum + failed, 0)).toBe(2);
  expect({ failed_runs, problems, waiting_runs, unsent_demo_requests }).toEqual({
    failed_runs: 2,
    problems: 1,
    waiting_runs: 0,
    unsent_demo_requests: 0,
  });
});

test('a cause of refused starts counts as a problem, as on the page Problems', async () => {
  const before = (await today()).problems;
  await acme.refuseStarts(await acme.trigger(), ['{"a":1}', '{"a":2}']);
  expect((await today()).problems).toBe(before + 1);
  const listed = (await viewer.get(`/orgs/${acme.orgId}/problems?state=open`)).body.counts.open;
  expect((await today()).problems).toBe(listed);
});

test('a burst of 1,200 deliveries within a second counts as 1,200 on Today and in the histogram (found B1)', async () => {
  const triggerId = await acme.emptyTrigger('Burst');
  const before = sumOf((await today()).hours);
  await acme.burst(triggerId, 1_200);
  expect(sumOf((await today()).hours)).toBe(before + 1_200);
  const { data } = (await viewer.get(`/orgs/${acme.orgId}/deliveries/counts?trigger=${triggerId}`)).body;
  expect(sumOf(data)).toBe(1_200);
});

const sumOf = (parts: { deliveries: number }[]) => parts.reduce((sum, { deliveries }) => sum + deliveries, 0);

test('each count of open work reads the beginning of an index', async () => {
  const names = ['demo_requests', 'webhook_deliveries', 'links'];
  const text = await openWorkText();
  const explain = statement<{ 'QUERY PLAN': string }>('', `EXPLAIN (GENERIC_PLAN) ${text}`);
  const plan = (await served.db.owner.query(explain, [])).map((row) => row['QUERY PLAN']).join('\n');
  for (const name of names) expect(plan).not.toMatch(new RegExp(`(Seq|Bitmap Heap) Scan on ${name}`));
  expect(plan).toContain('demo_requests_unsent');
});

async function openWorkText(): Promise<string> {
  const { findOpenWork } = await import('./today/open-work.sql.ts');
  let text = '';
  const watching = { query: (prepared: Statement<never>) => (({ text } = prepared), Promise.resolve([])) };
  await findOpenWork(watching, acme.orgId);
  return text;
}
