import type { EvaluationContext } from '@relata/expressions';
import { expect, test } from 'vitest';
import { type CompiledStep, type CompiledWorkflow, compileWorkflow } from './compile-workflow.ts';
import { inboundLead, exampleWorkflow } from './definition.harness.ts';
import { readDefinition } from './read-definition.ts';

const context: EvaluationContext = {
  inputs: {},
  steps: {},
  payload: null,
  delivery: {},
  trigger: {},
  workflow: {},
  run: {},
};
const compile = (json: unknown): CompiledWorkflow => compileWorkflow(readDefinition(json));

test('the example of the documentation is compiled', () => {
  const { steps, ...workflow } = compile(inboundLead);
  expect(workflow).toEqual({ name: 'inbound-lead', usesPayload: false });
  expect(steps.map(({ id, use, executor }) => [id, use, executor])).toEqual([
    ['contact', 'contact.upsert', 'record'],
    ['log', 'activity.create', 'record'],
    ['tell', 'http.request', 'network'],
  ]);
  const inputs = { email: 'a@b.example' };
  expect(steps[0]!.with({ ...context, inputs })).toEqual({
    match: { email: 'a@b.example' },
    set: { first_name: 'Unknown', last_name: '(inbound)' },
  });
  expect(steps[1]!.with({ ...context, inputs, steps: { contact: { id: '7' } } })).toMatchObject({ contact_ids: ['7'] });
  expect(steps[2]!.when!({ ...context, inputs })).toBe(false);
  expect(steps[2]!.when!({ ...context, inputs: { company: 'X' } })).toBe(true);
});

test('a step whose compiled expressions were not kept compiles them again, with the same result', () => {
  const text = '${{ has(payload.all) ? steps.contact.id + string(index) + item : secrets.KEY }}';
  const call = { use: 'http.request', with: { method: 'POST', url: 'https://example.com/', json: { text } } };
  const each = { id: 'each', use: 'for_each', with: { items: '${{ payload.all }}' }, when: 'has(payload.all)' };
  const [contact, log] = inboundLead.steps;
  const steps = [
    contact!,
    {
      ...each,
      steps: [
        { ...call, id: 'call' },
        { ...call, id: 'last', when: 'index > 0' },
      ],
    },
    log!,
  ];
  const compiled = compileWorkflow({ ...inboundLead, steps }, { get: () => undefined, set: () => {} }).steps;
  const kept = compile({ ...inboundLead, steps }).steps;
  const contact7 = { steps: { contact: { id: '7' } }, inputs: { email: 'a@b.example' }, payload: { all: ['a'] } };
  const inside = {
    ...context,
    ...contact7,
    item: 'a',
    index: 1n,
    secrets: { KEY: 'x' },
  } as unknown as EvaluationContext;
  const results = (all: readonly CompiledStep[]): unknown =>
    all.map((step) => [step.when?.(inside), step.with(inside), step.known(inside), results(step.steps)]);
  expect(results(compiled)).toEqual(results(kept));
  expect(compiled[1]!.steps[1]!.with(inside)).toMatchObject({ json: { text: '71a' } });
});

test('an expression error names its path in the step', () => {
  const [, log] = compile(inboundLead).steps;
  expect(() => log!.with({ ...context, inputs: { email: 'x' }, steps: { contact: null } })).toThrow(
    'with.contact_ids.0: steps.contact is null and has no members.',
  );
});

test('attempts and times have defaults that depend on the system a step calls', () => {
  const { steps } = compile(
    exampleWorkflow([
      { use: 'channel.post', with: { text: 'x' } },
      { use: 'account.find', with: { match: { domain: 'x' } } },
      {
        use: 'channel.post',
        with: { text: 'x' },
        retry: { max_attempts: 3, initial_delay: '10m' },
        timeout: '1m',
      },
    ]),
  );
  expect(steps.map(({ retry, timeoutMs, onError, when }) => ({ retry, timeoutMs, onError, when }))).toEqual([
    { retry: { maxAttempts: 5, initialDelayMs: 1_000, maxDelayMs: 300_000 }, timeoutMs: 10_000, onError: 'fail' },
    { retry: { maxAttempts: 1, initialDelayMs: 1_000, maxDelayMs: 300_000 }, timeoutMs: 10_000, onError: 'fail' },
    { retry: { maxAttempts: 3, initialDelayMs: 600_000, maxDelayMs: 600_000 }, timeoutMs: 60_000, onError: 'fail' },
  ]);
});

test.for([
  ['${{ payload.a }}', 'true', true],
  ['x', 'has(payload.a)', true],
  ['${{ delivery.id }}', 'true', true],
  ['${{ inputs }} ${{ run.id }} ${{ trigger.id }}', 'true', false],
  ['${{ [1].map(payload, payload) }}', 'true', false],
] as const)(
  'a compiled workflow knows if it reads the payload or the delivery: %s, %s',
  ([text, when, usesPayload]) => {
    expect(compile(exampleWorkflow([{ use: 'channel.post', with: { text }, when }])).usesPayload).toBe(usesPayload);
  },
);

test('the steps of a loop see its items', () => {
  const inner = { id: 'inner', use: 'channel.post', with: { text: '${{ index }}: ${{ item.name }}' } };
  const loop = { use: 'for_each', with: { items: '${{ payload.all }}' }, steps: [inner] };
  const { steps, usesPayload } = compile(exampleWorkflow([loop]));
  expect({ usesPayload, executor: steps[0]!.executor }).toEqual({ usesPayload: true, executor: 'loop' });
  expect(steps[0]!.with({ ...context, payload: { all: [1] } })).toEqual({ items: [1] });
  expect(steps[0]!.steps[0]!.with({ ...context, item: { name: 'A' }, index: 2 })).toEqual({ text: '2: A' });
});

test('the default of initial_delay is at most max_delay', () => {
  const retry = { max_delay: '500ms' };
  const call = { id: 'call', use: 'http.request', retry, with: { method: 'GET', url: 'https://api.example/' } };
  const [step] = compile({ name: 'quick', steps: [call] }).steps;
  expect(step!.retry).toMatchObject({ initialDelayMs: 500, maxDelayMs: 500 });
});
