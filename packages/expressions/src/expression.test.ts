import { describe, expect, test } from 'vitest';
import { evaluate } from './expression.harness.ts';

const order = {
  n: 1,
  price: 2.5,
  text: 'Hello',
  none: null,
  items: [{ sku: 'x' }, { sku: 'y' }],
  user: { email: 'a@b.c' },
};

describe('values', () => {
  test.for<[string, unknown]>([
    ['payload.n + 1', 2],
    ['1 + payload.n', 2],
    ['payload.n > 3', false],
    ['payload.n == 1', true],
    ['1 == payload.n', true],
    ['payload.n != 1', false],
    ['payload.price * 2', 5],
    ['payload.price / 2', 1.25],
    ['7 / 2', 3],
    ['payload.n % 2', 1],
    ['-payload.n', -1],
    ['size(payload.items) == 2', true],
    ['payload.items.size()', 2],
    ['size("é😀")', 2],
    ['payload.n in [1, 2]', true],
    ['"n" in payload', true],
    ['payload.text == payload.n', false],
    ['payload.none == null', true],
    ['payload.items == [{"sku": "x"}, {"sku": "y"}]', true],
    ['payload.user == {"email": "A"}', false],
    ['payload.items.map(x, x.sku).join(",")', 'x,y'],
    ['payload.items.map(x, x.sku == "x", x.sku)', ['x']],
    ['payload.items.filter(x, x.sku == "y")[0].sku', 'y'],
    ['payload.items.exists(x, x.nope == 1 || x.sku == "x")', true],
    ['payload.items.all(x, x.sku != "z")', true],
    ['payload.items.exists_one(x, x.sku == "x")', true],
    ['payload.user.map(key, key)', ['email']],
    ['payload.user["email"]', 'a@b.c'],
    ['payload.items[index].sku', 'y'],
    ['payload.items + [1]', [{ sku: 'x' }, { sku: 'y' }, 1]],
    ['payload.text + " " + string(payload.n)', 'Hello 1'],
    ['payload.text.lowerAscii().startsWith("he")', true],
    ['payload.text.substring(1, 3)', 'el'],
    ['payload.text.indexOf("l")', 2],
    ['payload.text.lastIndexOf("l")', 3],
    ['"a,b,c".split(",", 2)', ['a', 'b,c']],
    ['"a,b".split(",")', ['a', 'b']],
    ['int("42") + 1', 43],
    ['double("1e3")', 1000],
    ['bool("true")', true],
    ['payload.n == 1 ? "one" : null', 'one'],
    ['payload.nope == 1 || true', true],
    ['payload.nope == 1 && false', false],
    ['timestamp("2026-01-31T23:30:00Z") + duration("1h")', '2026-02-01T00:30:00.000Z'],
    ['timestamp("2026-01-02T00:00:00Z") - timestamp("2026-01-01T00:00:00Z")', '86400s'],
    ['timestamp("2026-01-31T23:30:00Z").getMonth()', 0],
    ['timestamp("2026-02-01T23:30:00Z").getDayOfYear()', 31],
    ['duration("1h30m").getMinutes()', 90],
    ['duration("1.5s")', '1500ms'],
    ['"a\\u0000b"', 'a\uFFFDb'],
    ['item', { id: 7 }],
    ['index + 1', 2],
  ])('the expression %s is evaluated', ([source, expected]) => {
    expect(evaluate(source, order, { item: { id: 7 }, index: 1 })).toEqual(expected);
  });

  test('a whole number beyond 2^53 becomes a string with all its digits', () => {
    expect(evaluate('9007199254740993')).toBe('9007199254740993');
    expect(evaluate('string(9007199254740993)')).toBe('9007199254740993');
    const payload = { id: 820982911946154508n, many: 9n ** 100n, list: [{ id: 820982911946154508n }] };
    expect(evaluate('payload.id', payload)).toBe('820982911946154508');
    expect(evaluate('payload.list', payload)).toEqual([{ id: '820982911946154508' }]);
    expect(evaluate('payload.id == 820982911946154508', payload)).toBe(true);
    expect(evaluate('payload.id == 820982911946154509', payload)).toBe(false);
    expect(evaluate('payload.id + 1', payload)).toBe('820982911946154509');
    expect(evaluate('payload.many', payload)).toBe(String(9n ** 100n));
    expect(evaluate('payload.many / 2 > 1', payload)).toBe(true);
    expect(evaluate('-payload.many < 0', payload)).toBe(true);
  });

  test('a number that is not finite is refused', () => {
    expect(() => evaluate('payload.n / 0.0', { n: 1 })).toThrow('finite');
    expect(() => evaluate('1 / 0')).toThrow('Division by zero');
  });
});

describe('members', () => {
  test.for(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s is inherited by all objects and is not a member',
    (key) => {
      expect(() => evaluate(`payload.${key}`, {})).toThrow(`No such key: ${key}`);
      expect(() => evaluate(`payload["${key}"]`, {})).toThrow(`No such key: ${key}`);
      expect(evaluate(`has(payload.${key})`, {})).toBe(false);
      expect(evaluate(`"${key}" in payload`, {})).toBe(false);
      const data: unknown = JSON.parse(`{ "${key}": "data" }`);
      expect(evaluate(`payload.${key}`, data)).toBe('data');
      expect(evaluate(`has(payload.${key})`, data)).toBe(true);
    },
  );

  test.for(['payload.items.length', 'payload.text.length', 'payload.n.toFixed'])('%s is not a member', (source) => {
    expect(() => evaluate(source, order)).toThrow(/no such item|has no members/);
  });

  test('the error of a missing key names the key and suggests has()', () => {
    expect(() => evaluate('payload.user.name', order)).toThrow(
      'No such key: name in payload.user. Test for it first with has(payload.user.name).',
    );
  });

  test.for([
    ['(payload).a', 'No such key: a in payload.', '(payload).a'],
    ['((payload).user).a', 'No such key: a in (payload).user.', '((payload).user).a'],
    ['(payload["("]).a', 'No such key: ( in payload.', 'payload["("]'],
    ['(payload.user)[")"]', 'No such key: ) in payload.user.', '(payload.user)[")"]'],
    ['(payload.items)[7]', 'payload.items has no such item.', '(payload.items)[7]'],
    ['(true ? payload : 0).a', 'No such key: a in true ? payload : 0.', '(true ? payload : 0).a'],
    ['payload[null]', 'No such key: null in payload.', 'payload[null]'],
  ])('the error of %s suggests a valid has()', ([source, message, path]) => {
    expect(() => evaluate(source!, order)).toThrow(`${message} Test for it first with has(${path}).`);
    expect(evaluate(`has(${path})`, order)).toBe(false);
  });

  test('no error quotes a key that comes from the payload', () => {
    expect(() => evaluate('payload[payload.text]', order)).toThrow(/^No such key in payload\./);
  });

  test('has() is false if any part of the path is missing', () => {
    expect(evaluate('has(steps.contact.id)')).toBe(false);
    expect(evaluate('has(payload.a.b.c)', { a: null })).toBe(false);
    expect(evaluate('has(payload.items[7].sku)', order)).toBe(false);
    expect(evaluate('has(payload.items[0].sku)', order)).toBe(true);
    expect(evaluate('has(payload.none)', order)).toBe(true);
    expect(evaluate('has(payload.a)', undefined)).toBe(false);
  });

  test('a key like __proto__ in an object literal is data', () => {
    const made = evaluate('{"__proto__": {"polluted": 1}}') as object;
    expect(Object.keys(made)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
  });
});
