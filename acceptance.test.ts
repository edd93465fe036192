import { glob, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';

const range = (from: number, to: number, prefix = '') =>
  Array.from({ length: to - from + 1 }, (_, at) => `${prefix}${from + at}`);

const page = 'acceptance.md';

interface Statements {
  of: string;
  /** Regular expression for a number in the name of a test. */
  number: string;
  numbers: string[];
  /** Glob patterns of the test files. */
  tests: string[];
}

const lists: Statements[] = [
  {
    of: 'the first step of the console',
    number: String.raw`\d+`,
    numbers: [...range(1, 35), '39', '42', '48', '52', ...range(54, 62)],
    tests: ['apps/console{,-web}/src/**/*.test.ts', 'infra/local/**/*.test.ts'],
  },
  {
    of: 'writes and their events',
    number: String.raw`B\d\.\d+`,
    numbers: [
      ...range(1, 8, 'B1.'),
      ...range(1, 10, 'B2.'),
      ...range(1, 7, 'B3.'),
      ...range(1, 15, 'B4.'),
      ...range(1, 5, 'B5.'),
      ...range(1, 5, 'B6.'),
      ...range(1, 12, 'B7.'),
      ...range(1, 2, 'B8.'),
      ...range(11, 12, 'B8.'),
    ],
    tests: [
      '{apps,packages}/*/src/**/*.test.ts',
      'infra/local/*.test.ts',
      'infra/chaos/checks/*.ts',
      'infra/neighbours/rows/records/*.ts',
      'infra/rolling/claims.ts',
      'bench/{lists,trash}/*.ts',
    ],
  },
  {
    of: 'webhook senders',
    number: String.raw`S\.\d+`,
    numbers: range(1, 20, 'S.'),
    tests: ['{apps,packages}/*/src/**/*.test.ts', 'examples/senders/*.test.ts', 'infra/neighbours/rows/webhooks/*.ts'],
  },
];

/**
 * Returns the numbers of the statements that tests and checks claim to prove. A name begins with the numbers and a
 * colon (`'5, 6: an ended session …'`), or ends with them (`'… (acceptance 5)'`).
 */
async function claimedIn(tests: string[], number: string): Promise<Set<string>> {
  const list = `${number}(?:, ${number})*`;
  const claims = new RegExp(`(?:^|\\(|claim: )\\s*['"\`](${list}): |\\(acceptance (${list})\\)`, 'gm');
  const files = await Array.fromAsync(glob(tests, { exclude: ['**/node_modules/**'] }));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const found = texts.flatMap((text) => [...text.matchAll(claims)].map(([, before, behind]) => before ?? behind!));
  return new Set(found.flatMap((numbers) => numbers.split(', ')));
}

async function statementsOf({ number }: Statements): Promise<{ number: string; isOpen: boolean }[]> {
  const text = await readFile(page, 'utf8');
  const lines = [...text.matchAll(new RegExp(`^- \\[([ x])\\] \\*\\*(${number})\\*\\* \\S`, 'gm'))];
  return lines.map(([, tick, found]) => ({ number: found!, isOpen: tick === ' ' }));
}

describe.each(lists)('statements about $of', (list) => {
  test('the list has each number once, in order', async () => {
    expect((await statementsOf(list)).map(({ number }) => number)).toEqual(list.numbers);
  });

  test('a statement is ticked if and only if a test claims it', async () => {
    const [claimed, all] = [await claimedIn(list.tests, list.number), await statementsOf(list)];
    const numbersOf = (isOpen: boolean) => all.filter((each) => each.isOpen === isOpen).map(({ number }) => number);
    expect(
      numbersOf(false).filter((number) => !claimed.has(number)),
      'statements that are ticked, but that no test claims',
    ).toEqual([]);
    expect(
      numbersOf(true).filter((number) => claimed.has(number)),
      'statements that a test claims, but that are not ticked',
    ).toEqual([]);
  });

  test('tests claim only statements that exist', async () => {
    const claimed = await claimedIn(list.tests, list.number);
    expect([...claimed].filter((number) => !list.numbers.includes(number))).toEqual([]);
  });
});
