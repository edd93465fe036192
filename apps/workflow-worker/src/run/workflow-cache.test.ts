import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Db } from '@relata/db';
import type { EvaluationContext } from '@relata/expressions';
import type { ClaimedRun } from '@relata/workflows/execution';
import { expect, test } from 'vitest';
import { workflowCache } from './workflow-cache.ts';

/** Returns a cache of workflows that all have one definition, and a count of those it has loaded. */
function cacheOf(definition: object) {
  const count = { loaded: 0 };
  const text = JSON.stringify(definition);
  const query = async () => {
    count.loaded++;
    return [{ value: JSON.parse(text) as unknown }];
  };
  const workflowOf = workflowCache({ query } as unknown as Db);
  const of = (id: string) => workflowOf({ org_id: 'acme', workflow_id: id, version: 1 } as ClaimedRun);
  return { count, of };
}

const lead = (steps: object[]) => ({ name: 'lead', steps });
const wait = { id: 'wait', use: 'delay', with: { for: '1s' } };
const post = (text: string) => ({ id: 'tell', use: 'channel.post', with: { text } });

test.each([
  { characters: 500, cached: 300 },
  // 270 such workflows fill the cache. The least recently used is evicted first, so none is left in the second round.
  { characters: 60_000, cached: 0 },
])('of 300 workflows with $characters characters, which run in turns, $cached are cached', async (given) => {
  const { count, of } = cacheOf(lead([post('x'.repeat(given.characters))]));
  for (let round = 0; round < 2; round++) for (let id = 0; id < 300; id++) await of(String(id));
  expect(600 - count.loaded).toBe(given.cached);
});

test('a workflow that is evicted while it is loaded is returned nevertheless', async () => {
  const { of } = cacheOf(lead([post('x'.repeat(60_000))]));
  const found = await Promise.all(Array.from({ length: 600 }, (_, id) => of(String(id))));
  expect(found.map(({ name }) => name)).toEqual(Array(600).fill('lead'));
});

/** Returns the size of the heap after a garbage collection, in MB. */
function heapMb(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 1_048_576;
}

test('twenty concurrent runs of workflows with 200 KB of expressions each take little more memory than a few runs, and all can continue', async () => {
  // The expressions take 22 MB, more than most others of this length.
  const sum = `\${{ ${Array(90).fill('1').join('+')} }}`;
  const steps = Array.from({ length: 100 }, (_, i) => ({ ...post(sum.repeat(10)), id: `tell${i}` }));
  const { of } = cacheOf(lead([...steps.slice(1), wait]));
  const before = heapMb();
  const held = await Promise.all(Array.from({ length: 20 }, (_, id) => of(String(id))));
  expect(heapMb() - before).toBeLessThan(80);
  const context = {} as EvaluationContext;
  const texts = held.map(({ steps: [first] }) => first!.with(context));
  expect(texts).toEqual(Array(20).fill({ text: '90'.repeat(10) }));
  expect(heapMb() - before).toBeLessThan(80);
});
