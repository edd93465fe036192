import { openDatabase, statement } from '@relata/db';
import { createMetrics } from '@relata/runtime';
import { createTestDatabase } from '@relata/testing';
import { expect, test } from 'vitest';
import { measureStatements } from './statement.metrics.ts';

const metricsWith = () => {
  const metrics = createMetrics('test');
  const countOf = async (name: string) => {
    const label = `{app="test",statement="${name}"}`;
    const line = (await metrics.metrics()).split('\n').find((one) => one.startsWith(`${metricName}_count${label} `));
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  };
  return { metrics, countOf };
};
const metricName = 'database_statement_duration_seconds';

test('statements are measured by name only, including failed ones and those in transactions', async () => {
  await using opened = await createTestDatabase();
  const { metrics, countOf } = metricsWith();
  await using database = openDatabase({ url: opened.url, name: 'test', onStatement: measureStatements(metrics) });
  const greet = statement<{ said: string }>('test.greet', 'SELECT $1::text AS said');
  const fail = statement<never>('test.fail', 'SELECT 1 / $1::integer');
  await database.query(greet, ['a person']);
  await database.of('one').query(greet, ['a person']);
  await database.transaction((db) => db.query(greet, ['a person']));
  await expect(database.transaction((db) => db.query(fail, [0]))).rejects.toThrow('division by zero');
  expect(await countOf('test.greet')).toBe(3);
  expect(await countOf('test.fail')).toBe(1);
  expect([await countOf('BEGIN'), await countOf('COMMIT')]).toEqual([2, 1]);
  expect(await metrics.metrics()).not.toContain('a person');
});

test('a slow statement is visible among fast ones with the same name', async () => {
  const { metrics } = metricsWith();
  const measure = measureStatements(metrics);
  for (const seconds of [0.0004, 0.0005, 0.3]) measure('test.mixed', seconds);
  const text = await metrics.metrics();
  const bucket = (le: string) =>
    text
      .split('\n')
      .find((line) => line.startsWith(`${metricName}_bucket{le="${le}",app="test",statement="test.mixed"`));
  expect([bucket('0.001'), bucket('0.1'), bucket('0.5')]).toEqual([
    expect.stringMatching(/ 2$/),
    expect.stringMatching(/ 2$/),
    expect.stringMatching(/ 3$/),
  ]);
});

test('an unlimited number of names does not create unlimited metrics', async () => {
  const { metrics, countOf } = metricsWith();
  const measure = measureStatements(metrics);
  for (let i = 0; i < 600; i++) measure(`test.${i}`, 0.001);
  measure('test.0', 0.001);
  expect([await countOf('test.0'), await countOf('test.599'), await countOf('other')]).toEqual([2, undefined, 100]);
});
