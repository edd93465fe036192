import { expect, test } from 'vitest';
import { textCondition } from './search-condition.ts';

/** Searches a body for a text. Returns whether it was found, and how often the search yielded to the event loop. */
async function search(text: string, body: string) {
  let turns = 0;
  const yieldToLoop = async () => void turns++;
  const isFound = await textCondition(text)({ id: 'id', body: Buffer.from(body), headers: {} }, yieldToLoop);
  return { isFound, turns };
}

test('a search finds escaped keys and strings at any depth', async () => {
  const body = String.raw`{"a":[1,null,{"sent\u0041t":[["b"],true,{"c":"x\/Y"}]}],"d":{}}`;
  for (const text of ['sentAt', 'x/y', 'X/Y']) expect(await search(text, body)).toEqual({ isFound: true, turns: 0 });
  for (const text of ['null]', 'x//y']) expect(await search(text, body)).toMatchObject({ isFound: false });
});

test.each([
  ['a list', `[${'0,'.repeat(5_100)}"\\u0041"]`],
  ['an object', `{${Array.from({ length: 1_200 }, (_, at) => `"${at}":`).join('0,')}[${'0,'.repeat(2_700)}"\\u0041"]}`],
])('a search yields to the event loop while it compares the many values of %s', async (_, body) => {
  expect(body.length).toBeLessThan(16_384);
  expect(await search('b', body)).toEqual({ isFound: false, turns: 1 });
  expect(await search('a', body)).toEqual({ isFound: true, turns: 1 });
});

test('a text in a header is found, even if the body cannot be read', async () => {
  const depth = 8_000;
  const body = Buffer.from(String.raw`${'['.repeat(depth)}"\u0041",12345678901234567890${']'.repeat(depth)}`);
  const delivery = { id: 'id', body, headers: { from: 'Ada@robotics.example' } };
  const yieldToLoop = () => Promise.resolve();
  await expect(textCondition('nobody')(delivery, yieldToLoop)).rejects.toThrow(RangeError);
  expect(await textCondition('nobody', 'ada@robotics')(delivery, yieldToLoop)).toBe(true);
});
