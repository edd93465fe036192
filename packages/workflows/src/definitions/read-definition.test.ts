import { describe, expect, test } from 'vitest';
import { DefinitionError } from './definition.error.ts';
import { inboundLead, linesOf, workflowOf } from './definition.harness.ts';
import { readDefinitionText } from './read-definition-text.ts';
import { readDefinition } from './read-definition.ts';

const post = { use: 'channel.post', with: { text: 'x' } };

test('the example is accepted as it stands', () => {
  expect(readDefinition(inboundLead)).toEqual(inboundLead);
  expect(readDefinitionText(JSON.stringify(inboundLead))).toEqual(inboundLead);
});

test('inputs may be left out', () => {
  expect(readDefinition(workflowOf([post])).inputs).toEqual({});
});

test('all faults are told at once, each with its path and a hint', () => {
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
  expect(linesOf(broken)).toEqual([
    'name: Must be 1 to 100 of a-z, 0-9, "-", "_" and ".", and begin with one of a-z, 0-9.',
    'inputs.a.type: Is required.',
    'inputs.a.typ: There is no key typ. Did you mean type?',
    'inputs.in: This name is reserved.',
    'inputs.u.type: Must be one of: string, number, boolean, object, array. Did you mean string?',
    'max_runing: There is no key max_runing. Did you mean max_running?',
    'steps[0].with.set.last_name: Is required.',
    'steps[0].with.set.email: Must be an email address.',
    'steps[0].with.set.emial: There is no key emial. Did you mean email?',
    expect.stringMatching(/^steps\[1\]\.use: Must be one of: .* Did you mean contact\.update\?$/),
    'steps[1].retry.max_dely: There is no key max_dely. Did you mean max_delay?',
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
  const input = (spec: object, name = 'a') => workflowOf([post], { inputs: { [name]: spec } });

  test.for<[string, string, unknown]>([
    ['that is no object', '', []],
    ['without steps', 'steps', workflowOf([])],
    ['without a name', 'name', { steps: [{ id: 'a', ...post }] }],
    ['with a long name', 'name', workflowOf([post], { name: 'a'.repeat(101) })],
    ['with a name of other letters', 'name', workflowOf([post], { name: '-a' })],
    ['with a long description', 'description', workflowOf([post], { description: 'a'.repeat(2_001) })],
    ['with too many runs at once', 'max_running', workflowOf([post], { max_running: 1_001 })],
    ['with part of a run', 'max_running', workflowOf([post], { max_running: 0.5 })],
    ['with a default that does not fit', 'inputs.a.default', input({ type: 'number', default: '5' })],
    ['with a default of another format', 'inputs.a.default', input({ type: 'string', format: 'uuid', default: 'x' })],
    ['with a default that is no value', 'inputs.a.default', input({ type: 'string', default: '' })],
    ['with a format of a number', 'inputs.a.format', input({ type: 'number', format: 'email' })],
    ['with an input that objects inherit', 'inputs.constructor', input({ type: 'string' }, 'constructor')],
    ['with an input of a long name', `inputs.${'a'.repeat(65)}`, input({ type: 'string' }, 'a'.repeat(65))],
    ['with an input that cannot be named', 'inputs["a b"]', input({ type: 'string' }, 'a b')],
    ['with a step of a reserved name', 'steps[0].id', workflowOf([{ ...post, id: 'for' }])],
    ['with a step called toString', 'steps[0].id', workflowOf([{ ...post, id: 'toString' }])],
    ['with too many attempts', 'steps[0].retry.max_attempts', workflowOf([{ ...post, retry: { max_attempts: 21 } }])],
    ['with a long delay', 'steps[0].retry.max_delay', workflowOf([{ ...post, retry: { max_delay: '8d' } }])],
    [
      'with delays the wrong way round',
      'steps[0].retry.max_delay',
      workflowOf([{ ...post, retry: { initial_delay: '2m', max_delay: '1m' } }]),
    ],
    ['with a long timeout', 'steps[0].timeout', workflowOf([{ ...post, timeout: '301s' }])],
    ['with no time at all', 'steps[0].timeout', workflowOf([{ ...post, timeout: '0s' }])],
    ['with a condition in braces', 'steps[0].when', workflowOf([{ ...post, when: '${{ true }}' }])],
    ['with a condition that is a text', 'steps[0].when', workflowOf([{ ...post, when: "'a'" }])],
    ['with steps in a step', 'steps[0].steps', workflowOf([{ ...post, steps: [{ id: 'a', ...post }] }])],
    ['with U+0000', 'steps[0].with.text', workflowOf([{ ...post, with: { text: 'a\u0000' } }])],
    ['with half a character', 'steps[0].with.text', workflowOf([{ ...post, with: { text: '\ud800' } }])],
    ['with half a character in a key', 'inputs', input({ type: 'string' }, '\ud800')],
    ['with a key __proto__', '__proto__', JSON.parse('{"name":"x","steps":[],"__proto__":{}}')],
    [
      'with an inner key __proto__',
      'inputs.__proto__',
      JSON.parse('{"name":"x","steps":[],"inputs":{"__proto__":{}}}'),
    ],
    ['with 101 steps', 'steps', workflowOf(Array(101).fill(post))],
    ['of more than 256 KB', '', workflowOf(Array(3).fill({ ...post, with: { text: 'é'.repeat(50_000) } }))],
    ['of something that is not JSON', 'steps[0].with', workflowOf([{ ...post, with: new Map() }])],
    [
      'with a reference ahead',
      'steps[0].with.text',
      workflowOf([{ ...post, with: { text: '${{ steps.s1 }}' } }, post]),
    ],
    ['with a reference to itself', 'steps[0].with.text', workflowOf([{ ...post, with: { text: '${{ steps.s0 }}' } }])],
    ['with item outside of a loop', 'steps[0].with.text', workflowOf([{ ...post, with: { text: '${{ item }}' } }])],
  ])('%s', ([, path, json]) => {
    expect(linesOf(json)).toEqual(at(path));
  });

  test('that is nested without end', () => {
    const loop: { name: string; steps: unknown[] } = { name: 'x', steps: [] };
    loop.steps.push(loop, loop);
    expect(linesOf(loop)[0]).toContain('nested more than 32 deep');
  });

  test('with more inputs than a hundred', () => {
    const inputs = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`i${i}`, { type: 'string' }]));
    expect(linesOf(workflowOf([post], { inputs }))).toEqual(['inputs: Must have at most 100 inputs.']);
  });
});

describe('a loop', () => {
  const loop = (steps: object[], items: unknown = '${{ payload.items }}') => ({
    use: 'for_each',
    with: { items },
    steps,
  });

  test('has item, index, the steps before it and its own', () => {
    const text = '${{ item.a }} ${{ index }} ${{ steps.s0 }} ${{ steps.inner }}';
    const inner = [
      { id: 'inner', ...post },
      { id: 'next', use: 'channel.post', with: { text } },
    ];
    expect(linesOf(workflowOf([post, loop(inner), { ...post, when: 'size(steps.s1) > 0' }]))).toEqual([]);
  });

  test('keeps its steps to itself', () => {
    const steps = [loop([{ id: 'inner', ...post }]), { ...post, when: 'has(steps.inner.id)' }];
    expect(linesOf(workflowOf(steps))).toEqual([
      'steps[1].when: The step inner has no output yet, or is not in scope here.',
    ]);
  });

  test('has steps, and no other loop', () => {
    expect(linesOf(workflowOf([{ use: 'for_each', with: { items: [] } }]))).toEqual(['steps[0].steps: Is required.']);
    const inner = { id: 'inner', ...loop([{ id: 'innermost', ...post }]) };
    expect(linesOf(workflowOf([loop([inner])]))).toEqual([
      'steps[0].steps[0].use: A loop may not stand inside of another.',
    ]);
  });

  test('counts its steps, and their ids are unique over all', () => {
    const inner = Array.from({ length: 100 }, (_, i) => ({ id: `i${i}`, ...post }));
    expect(linesOf(workflowOf([loop(inner)]))).toEqual(['steps: Must have at most 100 steps in all.']);
    expect(linesOf(workflowOf([post, loop([{ id: 's0', ...post }])]))).toEqual([
      'steps[1].steps[0].id: Another step has this id.',
    ]);
  });
});

describe('what a step gives is known by its kind', () => {
  const account = { id: 'r', use: 'account.create', with: { set: { account_name: 'x' } } };
  const contact = { ...account, use: 'contact.create', with: { set: { first_name: 'x', last_name: 'y' } } };
  const upsert = { ...account, use: 'account.upsert', with: { match: { domain: 'x' } } };
  const find = { ...account, use: 'opportunity.find', with: { match: { crm_id: 'x' } } };
  const activity = { ...account, use: 'activity.create', with: { content: 'x' } };
  const call = { ...account, use: 'http.request', with: { method: 'GET', url: 'https://a.example' } };
  const told = { ...account, ...post };
  const wait = { ...account, use: 'delay', with: { for: '1s' } };
  const loop = { ...account, use: 'for_each', with: { items: [] }, steps: [{ id: 'inner', ...post }] };
  const asked = (step: object, member: string) =>
    linesOf(workflowOf([step, { use: 'channel.post', with: { text: `\${{ steps.r${member} }}` } }]));

  test.for<[object, string[]]>([
    [account, ['.id', '.account_name', '["domain"]', '.tags[0]', '.crm_id', '.created_at', '.updated_at']],
    [contact, ['.id', '.first_name', '.email']],
    [upsert, ['.id', '.action']],
    [find, ['.id', '.stage_id', '.amount', '']],
    [activity, ['.id', '.interaction_type', '.contact_ids[0]']],
    [call, ['.status', '.headers["x-a"]', '.json.a[0].b', '.body']],
    [told, ['.ok']],
    [wait, ['.woke_at']],
    [loop, ['', '[0].anything', '.size()']],
  ])('%j has %j', ([step, members]) => {
    expect(members.flatMap((member) => asked(step, member))).toEqual([]);
  });

  test.for<[object, string, string]>([
    [account, '.acount_name', 'no field acount_name. Did you mean account_name?'],
    [account, '.action', 'no field action.'],
    [account, '.email', 'no field email.'],
    [contact, '["nope"].x', 'no field nope.'],
    [upsert, '.acton', 'Did you mean action?'],
    [find, '.action', 'no field action.'],
    [activity, '.contact_id', 'Did you mean contact_ids?'],
    [call, '.data', 'no field data. There is: status, headers, json, body.'],
    [told, '.id', 'no field id. There is: ok.'],
    [wait, '.until', 'no field until. There is: woke_at.'],
    [loop, '.ok', 'is a list and has no field ok.'],
  ])('%j has no %s', ([step, member, expected]) => {
    expect(asked(step, member)).toEqual([expect.stringMatching(/^steps\[1\]\.with\.text: The output of the step r /)]);
    expect(asked(step, member)[0]).toContain(expected);
  });

  test('a step of no known kind is told once, whatever is asked of it', () => {
    expect(asked({ ...account, use: 'account.creat' }, '.anything')).toEqual([
      expect.stringMatching(/^steps\[0\]\.use: /),
    ]);
  });
});

describe('text', () => {
  test.for([
    ['{"a":1,}', 'a key in double quotes was expected (line 1, column 8)'],
    ['{"a":\n [1,2,]}', 'a value was expected (line 2, column 7)'],
    ['{"a"', ': was expected (line 1, column 5)'],
    ['[1 2]', ', or ] was expected (line 1, column 4)'],
    ['{"a": "x" "b"}', ', or } was expected (line 1, column 11)'],
    ['', 'a value was expected (line 1, column 1)'],
    ['{"a":1} x', 'nothing more was expected (line 1, column 9)'],
    ["{'a':1}", 'a key in double quotes or } was expected (line 1, column 2)'],
    ['{"a":01}', ', or } was expected (line 1, column 7)'],
    ['{"a":"x\ty"}', 'a value was expected (line 1, column 6)'],
    ['[[{}]]]', 'nothing more was expected (line 1, column 7)'],
    ['[}', 'a value or ] was expected (line 1, column 2)'],
  ])('%s is not JSON, and where', ([text, expected]) => {
    expect(() => readDefinitionText(text!)).toThrow(`The text is not JSON: ${expected}.`);
  });

  test.for([
    ['{"name":"a",\n "name":"b"}', 'The key "name" is given twice (line 2, column 2).'],
    ['{"steps":[{"with":{"a":1,"b":{"a":2},"a" : 3}}]}', 'The key "a" is given twice (line 1, column 38).'],
    ['{"a":{"b":1},"\\u0061":2}', 'The key "\\u0061" is given twice (line 1, column 14).'],
    ['{"__proto__":1,"__proto__":2}', 'The key "__proto__" is given twice (line 1, column 16).'],
  ])('%s has a key twice, and where', ([text, expected]) => {
    expect(() => readDefinitionText(text!)).toThrow(expected!);
  });

  test('a long key that is given twice is cut', () => {
    const member = `"${'k'.repeat(900)}":1`;
    expect(() => readDefinitionText(`{${member},${member}}`)).toThrow(`The key "${'k'.repeat(63)}… is given twice`);
  });

  test('the same key in several objects, and as a value, is no repeat', () => {
    const text =
      '{"name":"x","steps":[["name","name"],{"name":"name","n\\"":"{\\"a\\":1,\\"a\\":2}","n":{"n":1}},{"name":1}]}';
    expect(() => readDefinitionText(text)).not.toThrow('twice');
    expect(() => readDefinitionText(text)).toThrow(DefinitionError);
  });

  test.for([
    ['one string', `"${'\\"'.repeat(500_000)}"`],
    ['spaces', `{"a"${' '.repeat(1_000_000)}:1}`],
    ['spaces after values', `["a"${`,"a"${' '.repeat(900)}`.repeat(1_100)}]`],
    ['open objects', `${'{"a":'.repeat(170_000)}1${'}'.repeat(170_000)}`],
  ])('a large text of %s is read at once', ([, text]) => {
    expect(() => readDefinitionText(text!)).toThrow(DefinitionError);
  });

  test('a byte order mark is passed over', () => {
    expect(readDefinitionText(`\uFEFF${JSON.stringify(inboundLead)}`).name).toBe('inbound-lead');
  });

  test('a text that is far too large is not parsed', () => {
    expect(() => readDefinitionText('['.repeat(2_000_000))).toThrow(DefinitionError);
  });
});
