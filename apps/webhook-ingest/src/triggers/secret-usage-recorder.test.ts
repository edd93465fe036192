import type { Db } from '@relata/db';
import { until } from '@relata/testing';
import { expect, test } from 'vitest';
import { SecretUsageRecorder } from './secret-usage-recorder.ts';

/** Returns a database that records the number of rows of each statement. */
function countingDb() {
  const statements: number[] = [];
  const query = (_statement: unknown, [ids]: unknown[][]) => {
    statements.push(ids!.length);
    return Promise.resolve([]);
  };
  return { statements, db: { query } as unknown as Db };
}

test('many posts within a minute write the use of a secret once', async () => {
  const { statements, db } = countingDb();
  {
    await using uses = new SecretUsageRecorder(db, () => undefined, 1);
    const note = () => {
      for (let i = 0; i < 10_000; i++) uses.note('org', 'trigger', i % 2 === 0 ? 'first' : 'second');
    };
    note();
    await until(() => expect(statements).toEqual([2]));
    note();
  }
  expect(statements).toEqual([2]);
});

test('without a use, nothing is written', async () => {
  const { statements, db } = countingDb();
  await new SecretUsageRecorder(db, () => undefined)[Symbol.asyncDispose]();
  expect(statements).toEqual([]);
});
