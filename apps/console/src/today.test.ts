import { type Statement, statement } from '@relata/db';
import { countDeliveries } from '@relata/workflows/deliveries';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startViewedConsole, type ViewedConsole } from './viewed-console.harness.ts';
import { HourStrips } from './today/hour-strip.ts';

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

test('the first steps of an organization are done as what they ask for is there', async () => {
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

test('the day has 24 hours, of which the last has what came in now, and what waits for somebody is counted', async () => {
  const { ids } = await acme.runs(3);
  await acme.fail(ids.slice(0, 2), { step: 'log', code: 'bad_status', message: 'Refused.' });
  const { hours, failed_runs, problems, waiting_runs, unsent_demo_requests } = await today();
  expect(hours).toHaveLength(24);
  expect(hours.at(-1)).toMatchObject({ is_estimate: false });
  // What came in before these may be of the hour before.
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

/** Three hours ago, whichever of two hours of the clock that is. */
const sumOf = (hours: { count: number }[]) => hours[19]!.count + hours[20]!.count;

test('a quarter of an hour that has ended is counted once; what goes on is counted each time', async () => {
  const { database } = served.db;
  const strips = new HourStrips(countDeliveries);
  const asked: number[] = [];
  const watching = {
    query: <Row>(prepared: Statement<Row>, values: readonly unknown[]) => {
      asked.push((values[0] as string[]).length);
      return database.query(prepared, values);
    },
  };
  const now = Date.now();
  const triggerId = await acme.emptyTrigger('Old');
  const sumOfThreeAgo = async () => sumOf(await strips.hoursOf(watching, acme.orgId, now));
  expect(await sumOfThreeAgo()).toBe(0);
  await acme.deliveriesBefore(triggerId, [0, 0, 1]);
  expect(await sumOfThreeAgo()).toBe(0);
  // The second time only what goes on, has only just ended, or is still to come.
  expect(asked[0]).toBe(96);
  expect(asked[1]).toBeLessThan(7);
  expect(sumOf(await new HourStrips(countDeliveries).hoursOf(database, acme.orgId, now))).toBe(1);
});

test('each count of what waits reads the beginning of an index', async () => {
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
