import { describe, expect, test } from 'vitest';
import { isProblems } from '../expression.error.ts';
import { readExpression } from '../expression.ts';
import { loopNames, names } from '../expression.harness.ts';
import { filterNames, type Names } from './names.ts';

function problemsOf(source: string, within: Names = names): string {
  const read = readExpression(source, within);
  return isProblems(read) ? read.map(({ message, hint }) => [message, hint].filter(Boolean).join(' ')).join('\n') : '';
}

describe('an expression refused before it runs', () => {
  test.for([
    ['1 +', 'Unexpected token: the end (line 1, column 4).'],
    ['payload.a\n  == = 1', '(line 2, column 6)'],
    ['', 'is empty'],
    ['inputs.emial', 'The workflow has no input emial. Did you mean email?'],
    ['inputs["emial"]', 'no input emial'],
    ['has(inputs.emial)', 'no input emial'],
    ['steps.contcat.id', 'There is no step contcat. Did you mean contact?'],
    ['steps.later.id', 'The step later has no output yet'],
    ['size(steps) == 1', 'Add the id of a step after steps'],
    ['steps[inputs.email]', 'Add the id of a step after steps'],
    ['steps.contact.emial', 'The output of the step contact has no field emial. Did you mean email?'],
    ['steps["contact"]["nope"]', 'The output of the step contact has no field nope. Available: id, email, tags.'],
    ['has(steps.contact.nope)', 'no field nope'],
    ['has(steps.contact.nope.deeper)', 'no field nope'],
    ['payload.a.map(x, steps.contact.nope)', 'no field nope'],
    ['steps.contact[0]', 'no field 0'],
    ['steps.contact.constructor', 'no field constructor'],
    [
      'steps.each.id',
      'The output of the step each is a list and has no field id. Select an item first, like steps.each[0].',
    ],
    ['steps.each["id"]', 'is a list and has no field id'],
    ['delivery.recieved_at', 'delivery has no field recieved_at. Did you mean received_at?'],
    ['delivery.body', 'delivery has no field body. Available: id, received_at, headers, replay.'],
    ['trigger["org_id"]', 'trigger has no field org_id. Available: id, name.'],
    ['workflow.verison', 'Did you mean version?'],
    ['has(run.status)', 'run has no field status. Available: id, created_at.'],
    ['email', 'Did you mean inputs.email?'],
    ['paylod.a', 'Did you mean payload?'],
    ['process.env', 'process is not defined here.'],
    ['item.id', 'can be used only inside for_each'],
    ['payload.a.matches("(a+)+$")', 'Use contains(), startsWith() or endsWith().'],
    ['inputs.email == 3', 'No such overload: string == int'],
    ['inputs.amount > "3"', 'No such overload: number > string'],
    ['inputs.email + 1', 'No such overload: string + int'],
    ['inputs.amount.trim()', 'number.trim()'],
    ['inputs.flag ? 1 : "a"', 'wrap one of them in dyn(…)'],
    ['inputs.email.trimm()', 'Did you mean trim?'],
    ['sizes(payload)', 'Did you mean size?'],
    ['payload.trim(1)', 'trim() does not take 1 argument.'],
    ['timestamp("2026-01-01T00:00:00Z").getHours("Europe/Berlin")', 'Times are in UTC.'],
    ['type(1)', 'The function type() does not exist.'],
    ['cel.bind(x, 1, x)', 'cel is not defined here.'],
    ['google.protobuf', 'google is not defined here.'],
    ['b"abc"', 'Bytes are not supported'],
    ['bytes("abc")', 'The function bytes() does not exist.'],
    ['1u', 'Unsigned numbers are not supported'],
    ['99999999999999999999', 'limited to 64 bits'],
    ['has(payload)', 'has() needs the path of a field'],
    ['payload.a.map(x, payload.b.map(y, y))', 'inside another function'],
    ['payload.a.exists(x, payload.b.all(y, payload.c.exists(z, true)))', 'inside another function'],
    ['inputs.nope == steps.nope', 'no input nope'],
  ])('the expression %s is refused before it runs', ([source, expected]) => {
    expect(problemsOf(source!)).toContain(expected);
  });

  test('all references to names that do not exist are reported together', () => {
    expect(problemsOf('inputs.a == steps.b').split('\n')).toHaveLength(2);
  });

  test.for([
    'has(inputs.email) ? inputs.email : null',
    'inputs.email == null',
    'null != inputs.email',
    'inputs.amount + 1 > 2',
    'inputs.amount == 1',
    'payload.items.map(x, x.a).filter(y, y > 1).size() > 0',
    'payload.items.exists(inputs, inputs.anything)',
    '[1, "a", null, 2.5]',
    'run.id + delivery.id + trigger.name + workflow.name',
    'run.created_at + delivery.received_at + string(workflow.version) + string(delivery.replay)',
    'has(delivery.headers["x-any"]) || delivery == null',
    'steps.contact["email"] == steps.contact.tags[0].anything',
    'steps.contact[inputs.email] == delivery[inputs.email]',
    'steps.each[0].anything == steps.each.size()',
    'steps.each[inputs.amount] == steps.each.map(x, x.anything)',
    'steps.unknown.anything',
    'payload.items.map(steps, steps.contact.anything).size() > 0',
    'payload.items.exists(run, run.anything)',
  ])('the expression %s is accepted', (source) => {
    expect(problemsOf(source)).toBe('');
  });

  test('a filter sees the payload and the headers, and nothing else', () => {
    expect(problemsOf('payload.a == 1', filterNames)).toBe('');
    expect(problemsOf('inputs.email == ""', filterNames)).toBe(
      'inputs is not defined here. Available: payload, delivery.',
    );
  });

  test('the position of a fault refers to the source as written, not to the source passed to cel-js', () => {
    expect(problemsOf('null == 1 || has(payload.a) || inputs.email == 3')).toContain('column 32');
  });

  test('an expression inside a loop can name item and index', () => {
    expect(problemsOf('item.id == index', loopNames)).toBe('');
  });
});

describe('bounds', () => {
  const nested = (open: string, close: string, depth: number) => open.repeat(depth) + '1' + close.repeat(depth);

  test.for([
    ['characters', `"${'a'.repeat(2_000)}"`],
    ['parts', Array(300).fill('1').join('+')],
    ['nested parentheses', nested('(', ')', 900)],
    ['nested lists', nested('[', ']', 9)],
    ['nested minus', nested('-', '', 1_900)],
    ['nested not', `${'!'.repeat(1_900)}true`],
    ['nested members', `payload${'.a'.repeat(900)}`],
    ['nested indices', nested('payload[', ']', 200)],
    ['nested choices', `${'true ? 1 : '.repeat(150)}1`],
    ['a chain of ||', Array(150).fill('true').join('||')],
    ['a long list', `[${Array(101).fill('1').join(',')}]`],
    ['a long object', `{${Array.from({ length: 101 }, (_, i) => `"k${i}":1`).join(',')}}`],
    ['many arguments', `size(${Array(9).fill('1').join(',')})`],
    ['digits', '9'.repeat(1_900)],
  ])('an expression is bounded: %s', ([, source]) => {
    expect(problemsOf(source!)).not.toBe('');
  });
});
