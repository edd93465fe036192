import { describe, expect, test } from 'vitest';
import { inboundLead, faultLines, exampleWorkflow } from './definition.harness.ts';
import { readDefinitionText } from './read-definition-text.ts';
import { readDefinition } from './read-definition.ts';

const post = { use: 'channel.post', with: { text: 'x' } };

test('the example of the documentation is accepted as it is', () => {
  expect(readDefinition(inboundLead)).toEqual(inboundLead);
  expect(readDefinitionText(JSON.stringify(inboundLead))).toEqual(inboundLead);
});

test('a definition may leave out inputs', () => {
  expect(readDefinition(exampleWorkflow([post])).inputs).toEqual({});
});

test('all faults of a definition are reported at once, each with its path and a hint', () => {
  const broken = {
    name: 'X y',
    max_runing: 3,
    inputs: { a: { typ: 'string' }, in: { type: 'string' }, u: { type: 'strng' } },
    steps: [
      { id: 'a', use: 'contact.create', with: { set: { emial: 'x', email: 'bad', first_name: '${{ inputs.zz }}' } } },
      { id: 'a', use: 'contact.updat', with: {}, on_error: 'contnue', retry: { max_dely: '1s' } },
      3,
      { id: 'b', use: 'channel.post', when: 'steps.nope == 1' },
    ],
  };
  expect(faultLines(broken)).toEqual([
    'name: May contain only a-z, 0-9, "-", "_" and "." (at most 100), and must begin with one of a-z, 0-9.',
    'inputs.a.type: Is required.',
    'inputs.a.typ: Unknown key typ. Did you mean type?',
    'inputs.in: This name is reserved.',
    'inputs.u.type: Must be one of: string, number, boolean, object, array. Did you mean string?',
    'max_runing: Unknown key max_runing. Did you mean max_running?',
    'steps[0].with.set.last_name: Is required.',
    'steps[0].with.set.email: Must be an email address.',
    'steps[0].with.set.emial: Unknown key emial. Did you mean email?',
    expect.stringMatching(/^steps\[1\]\.use: Must be one of: .* Did you mean contact\.update\?$/),
    'steps[1].retry.max_dely: Unknown key max_dely. Did you mean max_delay?',
    'steps[1].on_error: Must be one of: fail, continue. Did you mean continue?',
    'steps[2]: Must be an object.',
    'steps[3].with: Is required.',
    'steps[1].id: Another step has this id.',
    'steps[0].with.set.first_name: The workflow has no input zz. Declare it under inputs.',
    'steps[3].when: There is no step nope.',
  ]);
});

describe('a definition is refused', () => {
  const at = (path: string) => expect.arrayContaining([expect.stringContaining(`${path}:`)]) as unknown;
  const input = (spec: object, name = 'a') => exampleWorkflow([post], { inputs: { [name]: spec } });

  test.for<[string, string, unknown]>([
    ['that is not an object', '', []],
    ['without steps', 'steps', exampleWorkflow([])],
    ['without a name', 'name', { steps: [{ id: 'a', ...post }] }],
    ['with a long name', 'name', exampleWorkflow([post], { name: 'a'.repeat(101) })],
    ['with a name that begins with -', 'name', exampleWorkflow([post], { name: '-a' })],
    ['with a long description', 'description', exampleWorkflow([post], { description: 'a'.repeat(2_001) })],
    ['with too many runs at once', 'max_running', exampleWorkflow([post], { max_running: 1_001 })],
    ['with a fraction as max_running', 'max_running', exampleWorkflow([post], { max_running: 0.5 })],
    ['with a default that does not fit', 'inputs.a.default', input({ type: 'number', default: '5' })],
    ['with a default of another format', 'inputs.a.default', input({ type: 'string', format: 'uuid', default: 'x' })],
    ['with an empty default', 'inputs.a.default', input({ type: 'string', default: '' })],
    ['with a format for a number', 'inputs.a.format', input({ type: 'number', format: 'email' })],
    ['with an input named like an inherited member', 'inputs.constructor', input({ type: 'string' }, 'constructor')],
    ['with an input of a long name', `inputs.${'a'.repeat(65)}`, input({ type: 'string' }, 'a'.repeat(65))],
    ['with a space in the name of an input', 'inputs["a b"]', input({ type: 'string' }, 'a b')],
    ['with a step of a reserved name', 'steps[0].id', exampleWorkflow([{ ...post, id: 'for' }])],
    ['with a step called toString', 'steps[0].id', exampleWorkflow([{ ...post, id: 'toString' }])],
    [
      'with too many attempts',
      'steps[0].retry.max_attempts',
      exampleWorkflow([{ ...post, retry: { max_attempts: 21 } }]),
    ],
    ['with a long delay', 'steps[0].retry.max_delay', exampleWorkflow([{ ...post, retry: { max_delay: '8d' } }])],
    [
      'with a maximum delay below the initial delay',
      'steps[0].retry.max_delay',
      exampleWorkflow([{ ...post, retry: { initial_delay: '2m', max_delay: '1m' } }]),
    ],
    ['with a long timeout', 'steps[0].timeout', exampleWorkflow([{ ...post, timeout: '301s' }])],
    ['with a timeout of 0s', 'steps[0].timeout', exampleWorkflow([{ ...post, timeout: '0s' }])],
    ['with a condition in braces', 'steps[0].when', exampleWorkflow([{ ...post, when: '${{ true }}' }])],
    ['with a condition that is a text', 'steps[0].when', exampleWorkflow([{ ...post, when: "'a'" }])],
    ['with steps in a step', 'steps[0].steps', exampleWorkflow([{ ...post, steps: [{ id: 'a', ...post }] }])],
    ['with U+0000', 'steps[0].with.text', exampleWorkflow([{ ...post, with: { text: 'a\u0000' } }])],
    ['with an unpaired surrogate', 'steps[0].with.text', exampleWorkflow([{ ...post, with: { text: '\ud800' } }])],
    ['with an unpaired surrogate in a key', 'inputs', input({ type: 'string' }, '\ud800')],
    ['with a key __proto__', '__proto__', JSON.parse('{"name":"x","steps":[],"__proto__":{}}')],
    [
      'with an inner key __proto__',
      'inputs.__proto__',
      JSON.parse('{"name":"x","steps":[],"inputs":{"__proto__":{}}}'),
    ],
    ['with 101 steps', 'steps', exampleWorkflow(Array(101).fill(post))],
    ['of more than 256 KB', '', exampleWorkflow(Array(3).fill({ ...post, with: { text: 'é'.repeat(50_000) } }))],
    ['of something that is not JSON', 'steps[0].with', exampleWorkflow([{ ...post, with: new Map() }])],
    [
      'with a reference to a later step',
      'steps[0].with.text',
      exampleWorkflow([{ ...post, with: { text: '${{ steps.s1 }}' } }, post]),
    ],
    [
      'with a reference to itself',
      'steps[0].with.text',
      exampleWorkflow([{ ...post, with: { text: '${{ steps.s0 }}' } }]),
    ],
    [
      'with item outside of a loop',
      'steps[0].with.text',
      exampleWorkflow([{ ...post, with: { text: '${{ item }}' } }]),
    ],
  ])('a definition %s is refused', ([, path, json]) => {
    expect(faultLines(json)).toEqual(at(path));
  });

  test('a definition that contains itself is refused', () => {
    const loop: { name: string; steps: unknown[] } = { name: 'x', steps: [] };
    loop.steps.push(loop, loop);
    expect(faultLines(loop)[0]).toContain('nested deeper than 32 levels');
  });

  test('a definition with more than a hundred inputs is refused', () => {
    const inputs = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`i${i}`, { type: 'string' }]));
    expect(faultLines(exampleWorkflow([post], { inputs }))).toEqual(['inputs: Must have at most 100 inputs.']);
  });
});
