import { expectWithin } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './records-api.harness.ts';

let api: TestApi;
beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

/** Returns the CPU time of the thread, which does not include other processes of a busy machine. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** CPU time in ms that no body exceeds on a usual machine. The most expensive body takes about 700 ms. */
const usualMs = 1_000;

/**
 * Runs `work`, and returns the longest turn of the event loop meanwhile, in ms. On a slow machine, the result is scaled
 * down in proportion to the total CPU time.
 */
async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  const begun = threadMs();
  let [longest, before, isOver] = [0, begun, false];
  const look = () => {
    const now = threadMs();
    longest = Math.max(longest, now - before);
    before = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isOver = true;
  return longest * Math.min(1, usualMs / (threadMs() - begun));
}

const listOf = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join()}]`;
const namesFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => `"k${first + at}":0`).join();
const items = '"operation":"create","atomic":true,"items":';
const distinct = Array.from({ length: 500 }, (_, at) => `{${namesFrom(at * 150, 150)}}`).join();
const accounts = '/v1/records/accounts';
const activities = '/v1/activities/custom';

const kinds: [kind: string, path: string, status: number, body: string][] = [
  ['syntax', accounts, 400, `{"tags":[1${',1'.repeat(490_000)}`],
  ['160,000 levels', accounts, 400, `{"tags":${'['.repeat(160_000)}${']'.repeat(160_000)}}`],
  ['90,000 fields', accounts, 400, `{${namesFrom(0, 90_000)}}`],
  ['a wide object', accounts, 400, `{"tags":{${namesFrom(0, 90_000)}}}`],
  ['a list of objects', accounts, 400, `{"tags":${listOf(330_000, '{}')}}`],
  ['wrong values', activities, 400, `{"contact_ids":${listOf(1_000, '1')},"opportunity_ids":${listOf(1_000, '1')}}`],
  ['330,000 items', `${accounts}/batch`, 400, `{${items}${listOf(330_000, '{}')}}`],
  ['items with unknown fields', `${accounts}/batch`, 409, `{${items}${listOf(500, `{${namesFrom(0, 200)}}`)}}`],
  ['items with distinct fields', `${accounts}/batch`, 409, `{${items}[${distinct}]}`],
  [
    'items with wrong values',
    `${activities}/batch`,
    409,
    `{${items}${listOf(500, `{"contact_ids":${listOf(990, '1')}}`)}}`,
  ],
  ['deep items', `${accounts}/batch`, 409, `{${items}${listOf(500, `{"tags":${'['.repeat(950)}${']'.repeat(950)}}`)}}`],
];

test.each(kinds)(
  'refusing a body does not block the event loop noticeably: %s (found A1)',
  async (_kind, path, status, body) => {
    const bytes = Buffer.from(body);
    const post = () => api.tenant.client('POST', path, { body: bytes as unknown as string });
    expect((await post()).status).toBe(status);
    // Now another organization is active, and the code has been compiled.
    await api.other.client('GET', `${accounts}?limit=1`);
    // If the large bodies were read in one piece, they would take 100 ms or more.
    await expectWithin(50, () => longestTurnMs(post));
  },
);
