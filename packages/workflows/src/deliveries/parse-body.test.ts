import { JsonFaultError } from '@relata/schemas/errors';
import fc from 'fast-check';
import { expectWithin } from '@relata/testing';
import { expect, test, vi } from 'vitest';
import { parseBody, parseBodyInSlices } from './parse-body.ts';

const parse = (body: string, headers = {}) => parseBody({ body: Buffer.from(body), headers });

test('a whole number beyond 2^53 keeps its digits, wherever it stands', () => {
  expect(
    parse('{"id":820982911946154508,"a":[-9007199254740992, 1,\n123456789012345678901234567890 ],"b":1.5}'),
  ).toEqual({
    id: 820982911946154508n,
    a: [-9007199254740992n, 1, 123456789012345678901234567890n],
    b: 1.5,
  });
  expect(parse('{"__proto__":9007199254740993}')).toEqual(
    JSON.parse('{"__proto__":0}', (k, v) => (k ? 9007199254740993n : v)),
  );
});

test('strings, fractions, exact numbers and infinite numbers are as JSON.parse returns them', () => {
  const json =
    '{"a":"820982911946154508","b":0.82098291194615450812,"c":9007199254740991,"d":1e20,"e":820982911946154508.0,' +
    `"f":-9007199254740991,"g":"at 820982911946154508","h":${'9'.repeat(400)},"820982911946154508":1}`;
  expect(parse(json)).toEqual(JSON.parse(json));
});

test('an empty body is an empty object', () => {
  expect(parse('')).toEqual({});
});

test('every number of every body has the value that its digits say', () => {
  const number = fc.oneof(fc.bigInt(), fc.bigInt({ min: 2n ** 52n, max: 2n ** 54n }), fc.maxSafeInteger());
  const space = fc.constantFrom('', ' ', '\n', '      ');
  fc.assert(
    fc.property(fc.array(fc.tuple(number, fc.string({ maxLength: 20 }), space)), (members) => {
      const json = `[${members.map(([n, text, gap]) => `${gap}${n},${JSON.stringify(text)}${gap}`).join()}]`;
      const read = parse(json) as unknown[];
      expect(read).toEqual(members.flatMap(([n, text]) => [inJson(BigInt(n)), text]));
    }),
  );
});

const inJson = (n: bigint) => (Number.isSafeInteger(Number(n)) ? Number(n) : n);

const threadMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

const order = `{"id":820982911946154508,"title":"Item","price":"12.50","tax":[{"rate":0.19}]}`;
const orders = `{"items":[${Array.from({ length: 60_000 }, () => order).join()}]}`;

test.for([
  ['JSON', orders, {}],
  [
    'a form',
    new URLSearchParams({ payload: orders }).toString(),
    { 'content-type': 'application/x-www-form-urlencoded' },
  ],
] as const)('5 MB as %s are read in short steps, with the same value as in one step', async ([, text, headers]) => {
  const stored = { body: Buffer.from(text), headers };
  expect(await parseBodyInSlices(stored)).toEqual(parseBody(stored));
  await expectWithin(60, async () => {
    let [longestMs, since] = [0, threadMs()];
    const yieldToLoop = async () => {
      longestMs = Math.max(longestMs, threadMs() - since);
      since = threadMs();
    };
    await parseBodyInSlices(stored, yieldToLoop);
    return Math.max(longestMs, threadMs() - since);
  });
});

test('a large body that is not JSON also throws if it is parsed in steps', async () => {
  const body = Buffer.from(`[${'1,'.repeat(20_000)}`);
  await expect(parseBodyInSlices({ body, headers: {} })).rejects.toThrow(JsonFaultError);
});

test('a body without a number beyond 2^53 is parsed once', () => {
  const parsed = vi.spyOn(JSON, 'parse');
  parse(`{"at":1767225600000000,"id":"820982911946154508","x":0.30000000000000004,"y":"${'7'.repeat(100_000)}"}`);
  expect(parsed).toHaveBeenCalledTimes(1);
  parse('{"id":820982911946154508}');
  expect(parsed).toHaveBeenCalledTimes(3);
  parsed.mockRestore();
});
