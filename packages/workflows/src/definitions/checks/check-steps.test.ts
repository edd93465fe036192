import { expect, test } from 'vitest';
import { faultLines, exampleWorkflow } from '../definition.harness.ts';

const post = { use: 'channel.post', with: { text: 'x' } };
const loop = (steps: object[], items: unknown = '${{ payload.items }}') => ({
  use: 'for_each',
  with: { items },
  steps,
});

test('a loop can read item, index, the steps before it and its own steps', () => {
  const text = '${{ item.a }} ${{ index }} ${{ steps.s0 }} ${{ steps.inner }}';
  const inner = [
    { id: 'inner', ...post },
    { id: 'next', use: 'channel.post', with: { text } },
  ];
  expect(faultLines(exampleWorkflow([post, loop(inner), { ...post, when: 'size(steps.s1) > 0' }]))).toEqual([]);
});

test('the steps of a loop are not visible after it', () => {
  const steps = [loop([{ id: 'inner', ...post }]), { ...post, when: 'has(steps.inner.id)' }];
  expect(faultLines(exampleWorkflow(steps))).toEqual([
    'steps[1].when: The step inner has no output yet, or is not in scope here.',
  ]);
});

test('a loop must have steps, and cannot contain a loop', () => {
  expect(faultLines(exampleWorkflow([{ use: 'for_each', with: { items: [] } }]))).toEqual([
    'steps[0].steps: Is required.',
  ]);
  const inner = { id: 'inner', ...loop([{ id: 'innermost', ...post }]) };
  expect(faultLines(exampleWorkflow([loop([inner])]))).toEqual([
    'steps[0].steps[0].use: A loop cannot contain another loop.',
  ]);
});

test('steps of a loop count towards the maximum, and ids are unique across all steps', () => {
  const inner = Array.from({ length: 100 }, (_, i) => ({ id: `i${i}`, ...post }));
  expect(faultLines(exampleWorkflow([loop(inner)]))).toEqual(['steps: Must have at most 100 steps in all.']);
  expect(faultLines(exampleWorkflow([post, loop([{ id: 's0', ...post }])]))).toEqual([
    'steps[1].steps[0].id: Another step has this id.',
  ]);
});
