import { createTestDatabase, natsUrl } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claims } from './claims.ts';
import { type Rolled, runRolling } from './rolling.ts';

/** An upper limit, not the expected time: twenty processes start on a busy machine. */
const giveUpAfterMs = 500_000;

/**
 * Times for a busy machine. The drain is longer than the time in which the gateway notices that a replica is not ready.
 * In the rest of the stop timeout a worker ends its runs, which once took 8 s.
 */
const [drainMs, stopMs] = [4_000, 16_000];
const timing = { drainMs: () => drainMs, stopMs: () => stopMs, answerMs: 1_500, calmMs: 500 };
const stop = new AbortController();
const said: string[] = [];
const options = {
  ...timing,
  replicas: 2,
  // The rollback is covered by the tests of migrations and by `npm run rolling -- --back`.
  goesBack: false,
  // Fewer writes than usual, since each starts runs, which cost CPU. Reads show dropped requests, too.
  writes: 1 / 3,
  seed: 1,
  say: (line: string) => void said.push(`${Math.round(performance.now())} ms: ${line}`),
  signal: stop.signal,
};

let rolled: Rolled;

beforeAll(async () => {
  const timer = setTimeout(() => stop.abort(), giveUpAfterMs);
  await using db = await createTestDatabase();
  rolled = await runRolling({
    ...options,
    servers: { databaseUrl: db.url, ownerUrl: db.ownerUrl, natsUrl: natsUrl() },
  });
  clearTimeout(timer);
}, giveUpAfterMs + 60_000);
afterAll(() => stop.abort());

const ofWayBack = /^the present release had nothing to migrate/;

test.each(Object.entries(claims).filter(([claim]) => !ofWayBack.test(claim)))('%s', (_claim, problemsOf) => {
  expect(problemsOf(rolled, options), said.join('\n')).toEqual([]);
});
