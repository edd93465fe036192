import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** Of the first step of the console. */
const numbers = [...range(1, 35), 39, 42, 48, 52, ...range(54, 62)];

/** Tests name what they claim before a colon, `'5, 6: an ended session …'`, or behind: `'… (acceptance 5)'`. */
const claims = /(?:^|\()\s*['"`](\d+(?:, \d+)*): |\(acceptance (\d+(?:, \d+)*)\)/gm;

async function claimedNumbers(): Promise<Set<number>> {
  const files = await Array.fromAsync(
    glob(['apps/console{,-web}/src/**/*.test.ts', 'infra/local/**/*.test.ts'], { exclude: ['**/node_modules/**'] }),
  );
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const lists = texts.flatMap((text) => [...text.matchAll(claims)].map(([, before, behind]) => before ?? behind!));
  return new Set(lists.flatMap((list) => list.split(', ').map(Number)));
}

async function statements(): Promise<{ number: number; isOpen: boolean }[]> {
  const page = await readFile('docs/console.md', 'utf8');
  const lines = [...page.matchAll(/^- \[([ x])\] \*\*(\d+)\*\* \S/gm)];
  return lines.map(([, tick, number]) => ({ number: Number(number), isOpen: tick === ' ' }));
}

test('docs/console.md carries each statement of the first step once', async () => {
  expect((await statements()).map(({ number }) => number)).toEqual(numbers);
});

test('each statement about the console is claimed by a test, or is open; none is both', async () => {
  const [claimed, all] = [await claimedNumbers(), await statements()];
  const numbersOf = (isOpen: boolean) => all.filter((each) => each.isOpen === isOpen).map(({ number }) => number);
  expect(
    numbersOf(false).filter((number) => !claimed.has(number)),
    'ticked, and claimed by no test',
  ).toEqual([]);
  expect(
    numbersOf(true).filter((number) => claimed.has(number)),
    'claimed by a test, and not ticked',
  ).toEqual([]);
});

test('what is claimed is a statement', async () => {
  expect([...(await claimedNumbers())].filter((number) => !numbers.includes(number))).toEqual([]);
});

/** Of real senders: S.1 to S.9. The tenth is a ratio, which `bench/ingest` measures and no test does. */
const senderStatements = range(1, 9).map((number) => `S.${number}`);

test('each statement about real senders is claimed by a test', async () => {
  const files = await Array.fromAsync(
    glob(['apps/*/src/**/*.test.ts', 'packages/*/src/**/*.test.ts'], { exclude: ['**/node_modules/**'] }),
  );
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const claimed = new Set(texts.flatMap((text) => text.match(/(?<=['"`])S\.\d+(?=: )/g) ?? []));
  expect([...claimed].toSorted()).toEqual(senderStatements);
});
