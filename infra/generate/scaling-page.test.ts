import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { costsIn, floodsIn } from './benchmarks.ts';
import { dueRunsPerWorker } from './kubernetes/scaling.ts';
import { sizes } from './kubernetes/sizes.ts';
import { numberIn, rowWith, tableIn } from './markdown.ts';
import { measuredMb, usualMb } from './memory.ts';
import { costColumns, needsOf, scalingPage } from './scaling-page.ts';

const docs = resolve(import.meta.dirname, '../../docs');
const [benchmarks, scaling, neighbours] = await Promise.all(
  ['benchmarks.md', 'scaling.md', 'neighbours.md'].map((name) => readFile(resolve(docs, name), 'utf8')),
);

test.each([
  // In scaling.md, and a row of benchmarks.md as it begins and with the two figures in it.
  ['a delivery that starts no workflow', /^\| no workflow +\| +64 \|.* (\S+) \| +(\S+) \| +\S+ \|$/gm],
  ['a delivery that starts one workflow', /^\| one workflow +\| +64 \|.* (\S+) \| +(\S+) \| +\S+ \|$/gm],
  ['a run that writes two records, with its delivery', /^\| none +\|.* (\S+) \| +(\S+) \| +\S+ \|$/gm],
  ['such a run in a database with many rows', /^\| [\d,]+ deliveries[^|]+\|.* (\S+) \| +(\S+) \| +\S+ \|$/gm],
  ['a create through the API', /^\| POST +\| +\d+ \| +(\S+) \| +(\S+) \|/gm],
])('the page on scaling has the cost of the benchmarks: %s', (what, row) => {
  const [, app, database] = new RegExp(`^\\| ${what} +\\| +(\\S+) \\| +(\\S+) \\|`, 'm').exec(scaling!) ?? [];
  // The tables before the one with costs have rows that begin alike: the last one counts.
  const measured = [...benchmarks!.matchAll(row)].map(([, ...figures]) => figures);
  expect(measured).toContainEqual([app, database]);
});

test('the table of costs has each figure by the name of its column', () => {
  const costs = costsIn(benchmarks!);
  const table = tableIn(scaling!, 'Work', costColumns.database);
  const shown = table.map((row) => row[costColumns.database] && numberIn(row, costColumns.database));
  const { delivery, startingDelivery, run, laterRun, create } = costs;
  expect(shown).toEqual([...[delivery, startingDelivery, run, laterRun, create].map(({ database }) => database), '']);
  const answer = rowWith(table, { Work: 'an answer of the built-in model' });
  expect(numberIn(answer, costColumns.app)).toBe(costs.answer);
});

test('the page is what follows from the benchmarks, and of other figures another page follows', () => {
  const costs = costsIn(benchmarks!);
  const floods = floodsIn(neighbours!);
  expect(scalingPage(scaling!, { costs, floods })).toBe(scaling);
  const dearer = { ...costs, laterRun: { app: 3_456, database: 2_345 } };
  const changed = scalingPage(scaling!, { costs: dearer, floods }).split('\n');
  expect(changed.filter((line) => line.includes('2,345'))).toHaveLength(5);
  const flooded = scalingPage(scaling!, { costs, floods: [{ app: 'console', mb: 499 }, ...floods] });
  expect(flooded.replaceAll('\n', ' ')).toContain('`console` takes up to 499 MB, and ');
});

test('a table that the benchmarks do not have any more is named', () => {
  expect(() => costsIn(benchmarks!.replaceAll('µs of worker a run', 'worker'))).toThrow('µs of worker a run');
  expect(() => costsIn(benchmarks!.replaceAll('| no workflow ', '| none '))).toThrow('no workflow');
});

test('medium has the workers that the page counts for it', () => {
  const { replicas } = sizes.find(({ name }) => name === 'medium')!;
  expect(needsOf(costsIn(benchmarks!), 2_000).workersFor).toBe(replicas['workflow-worker']);
});

test('a worker that KEDA starts has less than a second of work before it', () => {
  expect(dueRunsPerWorker).toBeLessThan(costsIn(benchmarks!).runsPerSecond.least);
});

test('the chat takes with 500 answers what the benchmarks measured, within a twentieth', () => {
  const title = '500 answers at once of 100 tokens, one every 50 ms';
  const row = rowWith(tableIn(benchmarks!, title, 'Relata'), { [title]: 'MB resident at most' });
  const inWords = [...benchmarks!.matchAll(/\b500 answers took \d+ to (\d+) MB/g)].map(([, mb]) => Number(mb));
  const most = Math.max(numberIn(row, 'Relata'), ...inWords);
  const counted = measuredMb.process + 500 * measuredMb.answer;
  expect(Math.abs(counted - most)).toBeLessThan(counted / 20);
});

test('every other app has a fifth of its memory left under any flood', () => {
  expect(floodsIn(neighbours!)[0]!.mb).toBeLessThan(usualMb * 0.8);
});
