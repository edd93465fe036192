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
  expect(runs.map(({ inputs }) => Object.keys(inputs).length)).toEqual([5]);
  expect(refused).toMatchObject([
    { reason: 'refused', problems: [{ input: 'input6', field: 'payload.list', code: 'out_of_range' }] },
  ]);
});

test('the runs of a delivery are refused from the one whose inputs exceed 32,000,000 characters together', async () => {
  const assignments = Array.from({ length: 40 }, () => assigned(mappedTo('payload.list', 5)));
  const { runs, refused } = await prepareRuns(assignments, content, bytes);
  expect(runs.length).toBe(Math.floor(32_000_000 / (5 * JSON.stringify(list).length)));
  expect(runs.length + refused.length).toBe(40);
});

test('inputs share one cleaned copy of a payload, which shares what needs no cleaning', async () => {
  const clean = [{ name: 'Ada' }];
  const dirty = { payload: { all: [clean, '\u0000'] }, headers: {} };
  const { runs } = await prepareRuns([assigned(mappedTo('payload.all', 2))], dirty, 100);
  const { input0, input1 } = runs[0]!.inputs as Record<string, unknown[]>;
  expect(input0).toEqual([clean, '\uFFFD']);
  expect(input1).toBe(input0);
  expect(input0![0]).toBe(clean);
});
