import { expect, test } from 'vitest';
import { definitionText } from '../definition-text.ts';
import { guideSteps } from './guide.ts';
import { insertStep } from './insert-step.ts';

const delay = guideSteps.find(({ use }) => use === 'delay')!;
const loop = guideSteps.find(({ use }) => use === 'for_each')!;

const usesIn = (text: string) =>
  (JSON.parse(text) as { steps: { id: string }[] }).steps.map(({ id }) => id.replace(/^s(\d)$/, '$1'));
const textOf = (count: number) =>
  definitionText({
    name: 'x',
    inputs: { steps: { type: 'array' } },
    steps: Array.from({ length: count }, (_, at) => ({
      id: `s${at}`,
      use: 'channel.post',
      with: { text: '"steps": [ ] } \\' },
    })),
  });

test('with the cursor outside the list of steps, a step is inserted as the last one and selected', () => {
  for (const count of [0, 1, 3]) {
    const { text, start, end } = insertStep(textOf(count), 0, delay);
    expect(usesIn(text)).toEqual([...['0', '1', '2'].slice(0, count), 'delay']);
    expect(JSON.parse(text.slice(start, end))).toEqual({ id: 'delay', use: 'delay', with: delay.example.with });
    expect(text).toBe(definitionText(JSON.parse(text)));
  }
});

test('a step is inserted after the step at the cursor, or as the first step if the cursor is before all steps', () => {
  const text = textOf(3);
  expect(usesIn(insertStep(text, text.indexOf('"s1"'), delay).text)).toEqual(['0', '1', 'delay', '2']);
  expect(usesIn(insertStep(text, text.lastIndexOf('"steps": [\n') + 10, delay).text)).toEqual(['delay', '0', '1', '2']);
});

test('a step and the steps of a loop get ids that no other step has', () => {
  let { text } = insertStep(textOf(0), 0, loop);
  text = insertStep(text, 0, loop).text;
  const ids = [...text.matchAll(/"id": "(\w+)"/g)].map(([, id]) => id);
  expect(ids).toEqual(['for_each', 'activity_create', 'for_each_2', 'activity_create_2']);
});

test('the text around an inserted step stays as it was typed; without a list of steps, it is inserted at the cursor', () => {
  const typed = '{"name":"x",  "steps" : [ {"id":"a"} ] , "big": 12345678901234567890}';
  const { text, start, end } = insertStep(typed, 0, delay);
  expect(text.slice(0, start) + text.slice(end)).toBe(typed.replace('{"id":"a"}', '{"id":"a"},\n    '));
  expect(insertStep('{ "name" ', 2, delay).text).toMatch(/^\{ \{\n {2}"id": "delay"[^]*\}"name" $/);
});
