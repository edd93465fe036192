import { describe, expect, test } from 'vitest';
import { compileWorkflow } from '../definitions/compile-workflow.ts';
import { inboundLead, exampleWorkflow } from '../definitions/definition.harness.ts';
import { readDefinition } from '../definitions/read-definition.ts';
import { type DoneStep, simulateSteps } from './simulate-steps.ts';
import { simulatedContext } from './simulated-context.ts';

interface Given {
  inputs?: Record<string, unknown>;
  payload?: unknown;
  done?: ReadonlyMap<string, DoneStep>;
}

/** Returns the verdict on a definition as `step: message`; undefined if no failure is found. */
async function verdictOn(definition: unknown, { inputs = {}, payload = {}, done }: Given = {}) {
  const context = simulatedContext({
    inputs,
    payload,
    delivery: { id: 'd', received_at: '2026-01-01T00:00:00Z', headers: {}, replay: 0 },
    trigger: { id: 't', name: 'Form' },
    workflow: { id: 'w', name: 'x', version: 1 },
  });
  const { steps } = compileWorkflow(readDefinition(definition));
  return simulateSteps(steps, context, { pause: () => undefined, ...(done && { done }) });
}

const steps = (...given: object[]) =>
  exampleWorkflow(given, { inputs: { name: { type: 'string' }, email: { type: 'string' }, items: { type: 'array' } } });
const create = (set: object, more: object = {}) => ({ use: 'contact.create', with: { set }, ...more });
const ada = { first_name: 'Ada', last_name: 'Lovelace' };
const find = { id: 'found', use: 'contact.find', with: { match: { email: 'a@b.example' } } };
const named = create({ ...ada, first_name: '${{ inputs.name }}' }, { id: 'make' });

describe('a verdict on a run', () => {
  test('a run fails at the step that reads a missing input, and the message names the input (found B4)', async () => {
    expect(await verdictOn(steps(find, named))).toEqual({
      step: 'make',
      code: 'expression_error',
      message: 'with.set.first_name: No such key: name in inputs. Test for it first with has(inputs.name).',
      is_certain: true,
    });
    expect(await verdictOn(steps(find, named), { inputs: { name: 'Ada' } })).toBeUndefined();
    expect(await verdictOn(inboundLead, { inputs: { email: 'ada@acme.example' } })).toBeUndefined();
  });

  test.for<[string, object, RegExp]>([
    [
      'a value that the record does not accept',
      create({ ...ada, first_name: '${{ inputs.name }}' }),
      /^first_name: Must/,
    ],
    [
      'a record without a required field',
      { use: 'contact.create', with: { set: '${{ payload }}' } },
      /^first_name: Is req/,
    ],
    [
      'a match by an empty value',
      { use: 'contact.find', with: { match: { email: '${{ inputs.email }}' } } },
      /^match.email: /,
    ],
    [
      'an id that is not a UUID',
      { use: 'contact.update', with: { id: '${{ inputs.name }}', set: ada } },
      /^id: Must be a UUID/,
    ],
    ['an invalid duration', { use: 'delay', with: { for: '${{ inputs.email }}' } }, /^for: Must be a duration/],
    [
      'a loop over an object',
      { use: 'for_each', with: { items: '${{ payload }}' }, steps: [{ ...find, id: 'one' }] },
      /^items: Must be a list/,
    ],
    [
      'an invalid item of a loop',
      { use: 'for_each', with: { items: '${{ inputs.items }}' }, steps: [create({ ...ada, email: '${{ item }}' })] },
      /^email: Must be a/,
    ],
    [
      'a condition on a missing key',
      { use: find.use, with: find.with, when: 'payload.x > 1' },
      /^No such key: x in payload/,
    ],
  ])('%s fails (found B4)', async ([, step, message]) => {
    const inputs = { name: 'x'.repeat(300), email: '', items: ['a@b.example', 'no address'] };
    const verdict = await verdictOn(steps({ id: 's', ...withIds(step) }), { inputs });
    expect(verdict).toMatchObject({ is_certain: true, message: expect.stringMatching(message) });
    expect(verdict!.step).toMatch(/^s(\[1\].one)?$/);
  });

  const withIds = (step: object) =>
    'steps' in step ? { ...step, steps: (step.steps as object[]).map((inner) => ({ ...inner, id: 'one' })) } : step;

  test('outputs of earlier steps are not guessed: only a failure that does not depend on them is certain (found B4)', async () => {
    const of = (text: string) => create({ ...ada, email: text }, { id: 'make' });
    expect(await verdictOn(steps(find, of('${{ steps.found.email }}')))).toBeUndefined();
    expect(
      await verdictOn(steps(find, of('${{ has(steps.found.email) ? steps.found.email : "none" }}'))),
    ).toBeUndefined();
    expect(await verdictOn(steps(find, of('${{ true || steps.found.id == "1" ? "none" : "" }}')))).toMatchObject({
      message: expect.stringMatching(/^email: /),
      is_certain: true,
    });
    const both = create({ last_name: '${{ steps.found.id }}', first_name: '${{ inputs.name }}' }, { id: 'make' });
    const long = { inputs: { name: 'x'.repeat(300) } };
    expect(await verdictOn(steps(find, both), long)).toMatchObject({
      message: expect.stringMatching(/^first_name: Must/),
    });
    expect(await verdictOn(steps(find, { ...named, when: 'steps.found == null' }))).toMatchObject({
      step: 'make',
      is_certain: false,
    });
  });

  test('a step that is skipped, or whose failure is passed over, has the output null for later steps (found B4)', async () => {
    const tell = { id: 'tell', use: 'channel.post', with: { text: '${{ steps.make.id }}' } };
    const skipped = { ...named, when: 'has(inputs.name)' };
    expect(await verdictOn(steps(skipped))).toBeUndefined();
    for (const step of [skipped, { ...named, on_error: 'continue' }])
      expect(await verdictOn(steps(step, tell))).toMatchObject({
        step: 'tell',
        message: expect.stringContaining('steps.make is null'),
      });
  });

  test('an upsert that cannot create a record may fail, depending on the existing records (found B4)', async () => {
    const upsert = (set: object) => ({ use: 'contact.upsert', with: { match: { email: '${{ inputs.email }}' }, set } });
    const inputs = { email: 'a@b.example' };
    expect(await verdictOn(steps(upsert(ada)), { inputs })).toBeUndefined();
    expect(await verdictOn(steps(upsert({ first_name: 'Ada' }), named), { inputs })).toMatchObject({ step: 'make' });
    expect(await verdictOn(steps(upsert({ first_name: 'Ada' })), { inputs })).toEqual({
      step: 's0',
      code: 'validation_error',
      message: 'If no record matches: last_name: Is required.',
      is_certain: false,
    });
  });

  test('all members of an upsert and an update are checked, and each of them may contain a required field', async () => {
    const inputs = { email: 'a@b.example' };
    const tags = `\${{ "${'x,'.repeat(100)}x".split(",") }}`;
    const upsert = (values: object) => ({
      use: 'contact.upsert',
      with: { match: { email: '${{ inputs.email }}' }, ...values },
    });
    const update = (values: object) => ({
      use: 'contact.update',
      with: { id: '019a1b2c-0000-7000-8000-000000000001', ...values },
    });
    const part = { create: { first_name: 'Ada' }, fill: { last_name: 'L' } };
    expect(await verdictOn(steps(upsert(part)), { inputs })).toBeUndefined();
    expect(await verdictOn(steps(upsert({ create: part.create })), { inputs })).toMatchObject({
      message: 'If no record matches: last_name: Is required.',
      is_certain: false,
    });
    for (const [step, message] of [
      [upsert({ ...part, add: { tags } }), 'add.tags: Must have at most 100 items.'],
      [upsert({ create: tags }), 'create: Must be an object.'],
      [upsert({ fill: { title: tags } }), 'fill.title: Must be a string.'],
      [update({ fill: { title: tags } }), 'fill.title: Must be a string.'],
      [
        upsert({ fill: '${{ {"city": "a"} }}', set: { city: 'b' } }),
        'fill.city: Must be in `fill` or `set`, not in both',
      ],
    ] as const)
      expect(await verdictOn(steps(step), { inputs })).toMatchObject({
        code: 'validation_error',
        message: expect.stringContaining(message),
        is_certain: true,
      });
  });

  test('completed steps of a run keep their recorded outputs (found B4)', async () => {
    const reading = steps(find, create({ ...ada, email: '${{ steps.found.email }}' }, { id: 'make' }));
    const done = (email: string) => new Map([['found', { isDone: true, output: { email } }]]);
    expect(await verdictOn(reading, { done: done('none') })).toMatchObject({ step: 'make', is_certain: true });
    expect(await verdictOn(reading, { done: done('a@b.example') })).toBeUndefined();
  });
});
