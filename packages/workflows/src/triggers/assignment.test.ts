import { expect, test } from 'vitest';
import { compileAssignment, prepareRuns } from './assignment.ts';

type Mapping = Record<string, string>;

const assigned = (inputs: Mapping, filter: string | null = null) =>
  compileAssignment(
    { workflow_id: 'w', version: 1, is_limited: false, inputs, filter, definition: {} } as never,
    Object.fromEntries(Object.keys(inputs).map((name) => [name, { type: 'array' as const }])),
  );

const list = Array.from({ length: 100_000 }, () => 1);
const content = { payload: { list, other: ['a'] }, headers: {} };
const bytes = JSON.stringify(content.payload).length;

const mappedTo = (path: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`input${at}`, path]));

test('other work gets its turn before every filter and every input', async () => {
  let pauses = 0;
  const assignments = [assigned(mappedTo('payload.other', 3), 'size(payload.list) > 1'), assigned({}, 'true')];
  await prepareRuns(assignments, content, bytes, () => {
    pauses++;
    return undefined;
  });
  expect(pauses).toBe(5);
});

test('a workflow whose inputs are much larger than the body is refused, and the others start', async () => {
  const assignments = [assigned(mappedTo('payload.list', 7)), assigned(mappedTo('payload.list', 5))];
  const { runs, refused } = await prepareRuns(assignments, content, bytes);
  expect(runs.map(({ inputs }) => Object.keys(JSON.parse(inputs) as object).length)).toEqual([5]);
  expect(refused).toMatchObject([
    { reason: 'refused', problems: [{ input: 'input6', field: 'payload.list', code: 'out_of_range' }] },
  ]);
});

test('runs of a delivery are refused once the inputs of its runs together exceed 32,000,000 characters', async () => {
  const assignments = Array.from({ length: 40 }, () => assigned(mappedTo('payload.list', 5)));
  const { runs, refused } = await prepareRuns(assignments, content, bytes);
  expect(runs.length).toBe(Math.floor(32_000_000 / (5 * JSON.stringify(list).length)));
  expect(runs.length + refused.length).toBe(40);
});

test('inputs are JSON that the database can store', async () => {
  const payload: unknown = JSON.parse('{ "all": [{ "a\\u0000": "\\ud800", "__proto__": { "b": 1 } }] }');
  (payload as { all: unknown[] }).all.push(820982911946154508n);
  const { runs } = await prepareRuns(
    [assigned({ '"all"': 'payload.all', none: 'payload.x' })],
    { payload, headers: {} } as typeof content,
    100,
  );
  expect(runs.map(({ inputs }) => inputs)).toEqual([
    `{"\\"all\\"":[{"a\uFFFD":"\uFFFD","__proto__":{"b":1}},"820982911946154508"]}`,
  ]);
});

test('other work gets its turn while a large value is cleaned', async () => {
  let pauses = 0;
  const given = { payload: { all: [...Array.from({ length: 100_000 }, () => 'a'), '\u0000'] }, headers: {} };
  await prepareRuns([assigned(mappedTo('payload.all', 1))], given, 1_000_000, () => {
    pauses++;
    return undefined;
  });
  expect(pauses).toBeGreaterThan(40);
});
