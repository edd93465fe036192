import { expect, test } from 'vitest';
import { findJsonFault, lineAndColumn } from './find-json-fault.ts';
import { JsonFaultError } from './json-fault.ts';
import { JsonReader, type JsonReaderOptions } from './json-reader.ts';

/** Reads JSON in as many steps as possible, and returns the value. */
function read(text: string, options?: JsonReaderOptions): unknown {
  const reader = new JsonReader(text, options);
  while (!reader.readOn(0));
  return reader.value;
}

/** Returns the parsed value, or `no JSON` if the string is not JSON. */
function outcomeOf(parse: (text: string) => unknown, text: string): unknown {
  try {
    return { value: parse(text) };
  } catch {
    return 'no JSON';
  }
}

const random = (() => {
  let seed = 7;
  return (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
})();

function randomValue(level: number): unknown {
  const scalars = [
    0,
    -1,
    12,
    1.5e-7,
    -3e21,
    123_456_789_012,
    true,
    false,
    null,
    '',
    'a"b\\c\n\u0001',
    'é😀\ud800',
    'x'.repeat(40),
  ];
  const kind = random(level > 6 ? 1 : 4);
  if (kind < 2) return scalars[random(scalars.length)];
  const values = Array.from({ length: random(6) }, () => randomValue(level + 1));
  if (kind === 2) return values;
  const names = ['__proto__', 'a', '1', 'b"', '', 'constructor'];
  return JSON.parse(`{${values.map((value, at) => `${JSON.stringify(names[at])}:${JSON.stringify(value)}`).join()}}`);
}

test('reads any text as JSON.parse does, even with a wrong character in it', () => {
  for (let round = 0; round < 400; round++) {
    const spaces = [undefined, 1, '\t'][random(3)];
    const json = JSON.stringify(randomValue(0), undefined, spaces);
    const at = random(json.length + 1);
    const wrong =
      json.slice(0, at) +
      ['', '}', ']', ',', '"', '\\', '0', '-', 'e', ' ', '\u00a0', '{'][random(12)] +
      json.slice(at + random(2));
    for (const text of [json, wrong, json.slice(0, at)]) {
      // Small containers are left to JSON.parse itself unless a large one surrounds them.
      const large = `[${text},"${'x'.repeat(5_000)}"]`;
      expect(outcomeOf(read, text), text).toEqual(outcomeOf(JSON.parse, text));
      expect(outcomeOf(read, large), large).toEqual(outcomeOf(JSON.parse, large));
    }
  }
});

test('makes every member an own property, whatever its name, and keeps the last of two with the same name', () => {
  const filler = 'x'.repeat(5_000);
  const value = read(`{"__proto__":1,"filler":"${filler}","a":1,"a":2}`) as object;
  expect(Object.entries(value)).toEqual([
    ['__proto__', 1],
    ['filler', filler],
    ['a', 2],
  ]);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test('keeps all digits of whole numbers beyond 2^53 if isExact is set', () => {
  const text = `{"a":9007199254740993,"b":[12345678901234567890,-9007199254740993,1.0000000000000001,9007199254740991,1e400]}`;
  const exact = [12345678901234567890n, -9007199254740993n, 1, 9007199254740991, Infinity];
  expect(read(text, { isExact: true })).toEqual({ a: 9007199254740993n, b: exact });
  expect(read(text)).toEqual(JSON.parse(text));
});

const bounds = {
  levelsMax: 3,
  containersMax: 100,
  membersMax: 10,
  names: new Set(['known']),
  elements: { countMax: 20, containersMax: 4 },
};
const filler = `"${'x'.repeat(5_000)}"`;
const membersOf = (count: number, value = '0') => Array.from({ length: count }, (_, at) => `"k${at}":${value}`).join();

test('keeps as many members as the bounds allow, keeps all known names, and counts the others', () => {
  const reader = new JsonReader(`{${membersOf(30)},"filler":${filler},"known":1}`, { keeps: bounds });
  reader.readOn();
  expect(Object.keys(reader.value as object)).toEqual([...Array.from({ length: 10 }, (_, at) => `k${at}`), 'known']);
  expect(reader.unkeptMembers).toBe(21);
});

test('keeps deep and numerous containers within the bounds, and still checks the rest', () => {
  expect(read(`[${filler},[[[[1]]]]]`, { keeps: bounds })).toEqual([filler.slice(1, -1), [[[[1]]]]]);
  expect(read(`[[[[[${filler},1]]]]]`, { keeps: bounds })).toEqual([[[[]]]]);
  expect(() => read(`[[[[[${filler},x]]]]]`, { keeps: bounds })).toThrow('a value was expected');
  const list = read(`{"known":[${Array.from({ length: 2_000 }, () => '{"a":[1]}').join()}]}`, { keeps: bounds });
  expect((list as { known: unknown[] }).known).toHaveLength(10);
});

test('keeps each of the first elements of a known array, whatever is in the elements before it', () => {
  const junk = `{"a":[${Array.from({ length: 2_000 }, () => '{}').join()}]}`;
  const large = `{"filler":${filler},"a":[{"b":[]}]}`;
  const elements = [junk, '{"a":[1]}', large, junk, '{"a":[{"b":[]}]}'];
  const keeps = { ...bounds, levelsMax: 6 };
  const { known } = read(`{"known":[${elements.join()}]}`, { keeps }) as { known: unknown[] };
  expect([known[1], known[2], known[4]]).toEqual([elements[1], large, elements[4]].map((each) => JSON.parse(each!)));
  expect((known[3] as { a: unknown[] }).a.filter((each) => !Object.isFrozen(each))).toHaveLength(2);
});

test('keeps a bounded number of containers of all elements together', () => {
  const junk = Array.from({ length: 2_000 }, () => '{}').join();
  const elements = Array.from({ length: 100 }, () => '{"a":[{},{}]}').join();
  const keeps = { ...bounds, levelsMax: 6, membersMax: 200 };
  const { known, other } = read(`{"known":[{"a":[${junk}]},${elements}],"other":[${filler}]}`, { keeps }) as {
    known: object[];
    other: unknown[];
  };
  expect(known.filter((each) => !Object.isFrozen(each))).toHaveLength(20);
  expect(other).toEqual([]);
});

test.each([
  ['deep arrays', '['.repeat(300_000)],
  ['many objects', `[${'{},'.repeat(300_000)}`],
  ['very many members', `{${membersOf(80_000)}`],
])('reads a text that is slow to parse in short steps: %s (found A1)', (_which, text) => {
  const keeps = { ...bounds, levelsMax: 64, containersMax: 10_000, membersMax: 10_000 };
  const reader = new JsonReader(text, { keeps });
  const before = process.threadCpuUsage().user;
  let steps = 1;
  const readAll = () => {
    while (!reader.readOn(1)) steps++;
  };
  expect(readAll).toThrow(JsonFaultError);
  expect(steps).toBeGreaterThan(2);
  expect((process.threadCpuUsage().user - before) / 1_000 / steps).toBeLessThan(20);
});

test('describes a position by its line and its column', () => {
  const text = '{\n  "a": 1,\n  b\n}';
  expect(findJsonFault(text)).toMatchObject({ message: 'a key in double quotes was expected', position: 14 });
  expect([lineAndColumn(text, 0), lineAndColumn(text, 1), lineAndColumn(text, 14)]).toEqual([
    { line: 1, column: 1 },
    { line: 1, column: 2 },
    { line: 3, column: 3 },
  ]);
});
