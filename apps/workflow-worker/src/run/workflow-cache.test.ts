import type { Db } from '@relata/db';
import type { ClaimedRun } from '@relata/workflows/execution';
import { expect, test } from 'vitest';
import { workflowCache } from './workflow-cache.ts';

/** Returns a cache of workflows with this many characters of JSON each, and a count of those it has loaded. */
function cacheOf(characters: number) {
  const count = { loaded: 0 };
  const definition = { name: 'lead', description: 'x'.repeat(characters), steps: [] };
  const steps = [{ id: 'wait', use: 'delay', with: { for: '1s' } }];
  const query = async () => {
    count.loaded++;
    return [{ value: { ...definition, steps } }];
  };
  const workflowOf = workflowCache({ query } as unknown as Db);
  const of = (id: string) => workflowOf({ org_id: 'acme', workflow_id: id, version: 1 } as ClaimedRun);
  return { count, of };
}

test.each([
  { characters: 500, cached: 300 },
  // 240 of them take all of the memory.
  { characters: 1_900, cached: 0 },
])('of 300 workflows with $characters characters, which run in turns, $cached are cached', async (given) => {
  const { count, of } = cacheOf(given.characters);
  for (let round = 0; round < 2; round++) for (let id = 0; id < 300; id++) await of(String(id));
  expect(600 - count.loaded).toBe(given.cached);
});

test('a workflow that is evicted while it is loaded is returned nevertheless', async () => {
  const { of } = cacheOf(1_900);
  const found = await Promise.all(Array.from({ length: 600 }, (_, id) => of(String(id))));
  expect(found.map(({ name }) => name)).toEqual(Array(600).fill('lead'));
});
