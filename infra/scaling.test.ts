import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { dueRunsPerWorker } from './generate/kubernetes/scaling.ts';
import { sizes } from './generate/kubernetes/sizes.ts';
import { measuredMb, memoryMbFor, memoryMbOf } from './generate/memory.ts';
import type { AppName } from './services.ts';

const [benchmarks, scaling, neighbours] = ['benchmarks', 'scaling', 'neighbours'].map((name) =>
  readFileSync(resolve(import.meta.dirname, `../docs/${name}.md`), 'utf8'),
) as [string, string, string];

const figureOf = (text: string | undefined) => Number(text?.replaceAll(',', '') || Number.NaN);

/** Passes if a rounded figure differs from the measured one by at most a tenth. */
function expectRounded(shown: number, measured: number): void {
  expect(Math.abs(shown - measured), `${shown} for ${measured}`).toBeLessThanOrEqual(measured / 10);
}

const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Finds a row by its first cells in the table that has this column. Returns its cells by column. */
function rowIn(page: string, column: string, ...first: readonly (string | RegExp)[]): Record<string, string> {
  const lines = page.split('\n');
  const at = lines.findIndex((line) => cellsOf(line).includes(column));
  if (at < 0) throw new Error(`No table has the column ${column}.`);
  const below = lines.slice(at);
  const end = below.findIndex((line) => !line.startsWith('|'));
  const row = below
    .slice(0, end)
    .map(cellsOf)
    .find((cells) => first.every((cell, i) => (cell instanceof RegExp ? cell.test(cells[i]!) : cell === cells[i])));
  if (!row) throw new Error(`No row begins with ${first.join(', ')}.`);
  return Object.fromEntries(cellsOf(below[0]!).map((name, i) => [name, row[i]!]));
}

const runColumns = ['worker µs per run', 'PostgreSQL µs per run'] as const;
const deliveryColumns = ['receiver µs per delivery', 'PostgreSQL µs per delivery'] as const;
const later = /^[\d,]+ deliveries, runs, journals$/;

/** Returns the costs of a kind of work in the table of the page. */
function costsOf(work: string) {
  const row = rowIn(scaling, 'µs of app CPU', work);
  return { app: row['µs of app CPU'], database: row['µs of PostgreSQL CPU'] };
}

test.each([
  ['a delivery that starts no workflow', deliveryColumns, ['no workflow', '64']],
  ['a delivery that starts one workflow', deliveryColumns, ['one workflow', '64']],
  ['a run that writes two records, with its delivery', runColumns, ['none']],
  ['such a run in a database with many rows', runColumns, [later]],
  ['a create through the API', ['Node', 'PostgreSQL'], ['POST']],
  ['an answer of the built-in model', ['CPU µs per answer'], ['16 at once, whole answers']],
] as const)('docs/scaling.md has the cost that the benchmarks measured: %s', (work, [app, database], first) => {
  const measured = rowIn(benchmarks, app === 'Node' ? 'records a transaction' : app, ...first);
  const shown = costsOf(work);
  expectRounded(figureOf(shown.app), figureOf(measured[app]));
  expect(shown.database === '').toBe(database === undefined);
  if (database) expectRounded(figureOf(shown.database), figureOf(measured[database]));
});

const [, shownRate] = /^workers += runs \/ ([\d,]+),/m.exec(scaling) ?? [];

test('the formulas and examples of docs/scaling.md use the costs of its table', () => {
  const [run, delivery, create, answer] = [
    'such a run in a database with many rows',
    'a delivery that starts no workflow',
    'a create through the API',
    'an answer of the built-in model',
  ].map(costsOf);
  const page = scaling.replaceAll('\n', ' ');
  for (const formula of [
    `(deliveries without a run × ${delivery!.database} + runs × ${run!.database} + creates × ${create!.database}) /`,
    `= deliveries × ${delivery!.app} /`,
    `= creates × ${create!.app} /`,
    `= answers of the built-in model × ${answer!.app} /`,
    `(300 × ${run!.database} + 500 × ${create!.database}) /`,
    `39 × ${run!.database} µs`,
    `1,157 × ${run!.database} /`,
    `at ${shownRate} runs per second`,
    `one worker for every ${dueRunsPerWorker} due runs`,
  ])
    expect(page).toContain(formula);
  const inCores = (us: number) => (us / 1e6).toFixed(2);
  const [postgres, rate] = [Number(run!.database), figureOf(shownRate)];
  for (const result of [
    `= ${inCores(300 * postgres + 500 * Number(create!.database))} cores. Doubled and rounded up, that is one`,
    `needs ${(300 / rate).toFixed(2)} of a worker and ${inCores(300 * Number(delivery!.app))} of a receiver`,
    `PostgreSQL needs ${inCores(2_000 * postgres)} cores, so provide two`,
    `The deliveries need ${inCores(2_000 * Number(delivery!.app))} of a receiver`,
    `need ${(postgres / 100).toFixed(1)} cores of PostgreSQL, so provide ${Math.ceil(postgres / 50)}`,
    `That is ${(dueRunsPerWorker / rate).toFixed(2)} s of work`,
    `39 × ${postgres} µs are ${inCores(39 * postgres)} of a PostgreSQL core`,
    `= ${inCores(1_157 * postgres)} cores of PostgreSQL`,
  ])
    expect(page).toContain(result);
});

test('docs/scaling.md has the measured rates of a worker and of reads', () => {
  const [, least, most] = /measured ([\d,]+) to ([\d,]+), with/.exec(scaling) ?? [];
  const rateOf = (...first: readonly (string | RegExp)[]) =>
    figureOf(rowIn(benchmarks, runColumns[0], ...first)['runs/s']);
  expectRounded(figureOf(shownRate), rateOf(later));
  expectRounded(figureOf(least), rateOf('none, a fresh database and processes'));
  expectRounded(figureOf(most), rateOf('none'));
  const [, reads] = /serves ([\d,]+) reads/.exec(scaling) ?? [];
  for (const workload of ['GET by id', 'first page of 25 with total'])
    expectRounded(figureOf(reads), figureOf(rowIn(benchmarks, 'Relata req/s', workload)['Relata req/s']));
});

test('the overlay medium has the number of workers that docs/scaling.md calculates', () => {
  const { replicas } = sizes.find(({ name }) => name === 'medium')!;
  expect(replicas['workflow-worker']).toBe(Math.ceil(2_000 / figureOf(shownRate)) + 1);
  expect(scaling.replaceAll('\n', ' ')).toContain('the runs need two workers; provide three');
});

test('KEDA aims at less than a second of waiting work per worker', () => {
  const [, least] = /measured ([\d,]+) to/.exec(scaling) ?? [];
  expect(dueRunsPerWorker).toBeLessThan(figureOf(least));
});

test('docs/scaling.md has the figures from which the memory limit of the chat is calculated', () => {
  const { process, answer, answerHeap } = measuredMb;
  expect(scaling).toContain(`${process} MB + CHAT_STREAMS_MAX × ${answer} MB = ${process} + 1,000 × ${answer} =`);
  expect(scaling).toContain(`2 × CHAT_STREAMS_MAX × ${answerHeap} MB`);
  expect(scaling).toContain(`limit of the chat is therefore ${memoryMbFor(1_000).toLocaleString('en-US')} MB`);
});

test('the calculated memory of the chat with 500 answers is within 5 % of the measured memory', () => {
  const title = '500 answers at once, of 100 tokens each, one token every 50 ms';
  const inTable = rowIn(benchmarks, title, 'MB resident at most')['Relata'];
  const inText = [...benchmarks.matchAll(/\b500 answers took \d+ to (\d+) MB/g)].map(([, mb]) => Number(mb));
  const most = Math.max(figureOf(inTable), ...inText);
  const counted = measuredMb.process + 500 * measuredMb.answer;
  expect(Math.abs(counted - most)).toBeLessThan(counted / 20);
});

test('docs/scaling.md has the memory of the other apps, which is below 80 % of their limit under any flood', () => {
  const [most] = [...neighbours.matchAll(/\b([a-z][a-z-]+) (\d+) MB of \d+ MB/g)]
    .map(([, app, mb]) => ({ app, mb: Number(mb) }))
    .toSorted((one, other) => other.mb - one.mb);
  expect(most!.mb).toBeLessThan(memoryMbOf(most!.app as AppName) * 0.8);
  const [, app, shown] = /`([a-z-]+)`\s+takes up to (\d+) MB/.exec(scaling) ?? [];
  expect(app).toBe(most!.app);
  expectRounded(Number(shown), most!.mb);
  const atMost = [...benchmarks.matchAll(/^Peak resident memory of .* load: (\d+) MB/gm)].map(([, mb]) => Number(mb));
  const [, leastLoaded, mostLoaded] = /an app takes (\d+) to (\d+) MB/.exec(scaling) ?? [];
  expectRounded(Number(leastLoaded), Math.min(...atMost));
  expectRounded(Number(mostLoaded), Math.max(...atMost));
});
