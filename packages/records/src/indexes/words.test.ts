import { randomInt, randomUUID } from 'node:crypto';
import { type Database, newId, statement } from '@relata/db';
import { searchWords } from '@relata/schemas';
import { createTestDatabase } from '@relata/testing';
import { beforeAll, expect, test } from 'vitest';
import { contacts } from '../contacts/contact.table.ts';
import { comparedWords, wordsCondition } from './words.sql.ts';

const orgId = randomUUID();
const id = newId();
let database: Database;
let owner: Database;

beforeAll(async () => {
  const db = await createTestDatabase();
  ({ database, owner } = db);
  return () => db[Symbol.asyncDispose]();
});

const words = statement<{ words: string[] }>(
  'test.words',
  `SELECT ARRAY(SELECT substr(lexeme, 14) FROM unnest(tsvector_to_array(search_words($1, $2, given))) lexeme) AS words
   FROM unnest($3::text[]) WITH ORDINALITY AS given (given, n) ORDER BY n`,
);
const matches = statement<{ matches: boolean }>(
  'test.matches',
  'SELECT search_words($1, $2, $3) @@ search_query($1, $4) AS matches',
);

async function wordsOf(...texts: string[]): Promise<string[][]> {
  return (await database.query(words, [orgId, id, texts])).map((row) => row.words);
}

async function finds(text: string, query: string): Promise<boolean> {
  const [row] = await database.query(matches, [orgId, id, text, query]);
  return row!.matches;
}

test.each([
  ['an address', 'ada@robotics.example', ['ada', 'example', 'robotics']],
  ['digits, fractions and exponents', 'Level 42, ½ m²', ['42', 'level', 'm²', '½']],
  ['vowel signs of Hindi', 'हिन्दी भाषा', ['भाषा', 'हिन्दी']],
  ['vowel signs and tones of Thai', 'ภาษาไทย, กรุงเทพฯ', ['กรุงเทพฯ', 'ภาษาไทย']],
  ['decomposed accents', 'Jose\u0301 A\u030angstro\u0308m', ['josé', 'ångström']],
  ['Chinese, Japanese and Korean', '株式会社 山田・한국', ['山田', '株式会社', '한국']],
  ['emoji, with joiners and variations', 'ada👩‍💻lovelace ❤️x', ['ada', 'lovelace', 'x']],
  ['the Turkish dotted I', 'İSTANBUL', ['istanbul']],
  ['a final sigma', 'ΟΔΟΣ οδος', ['οδοσ']],
  ['letters beyond the first plane', '𐐀𐐁 𝟘', ['𐐨𐐩', '𝟘']],
  ['a mark without a letter', '\u0301abc - \u0301 def', ['abc', 'def']],
  ['quotes and operators', `o'neil & "co" | !x :* \\ %_`, ['co', 'neil', 'o', 'x']],
  ['nothing', ' !? ', []],
])('splits %s', async (_what, text, expected) => {
  expect(await wordsOf(text)).toEqual([expected]);
});

const marks = Array.from({ length: 0x20000 }, (_, point) => String.fromCodePoint(point)).filter((character) =>
  /\p{M}/u.test(character),
);
const newerMarks = statement<{ mark: string }>(
  'test.newer_marks',
  'SELECT mark FROM unnest($1::text[]) AS mark WHERE NOT unicode_assigned(mark)',
);

/** Letters, marks and separators of many scripts. */
function randomText(): string {
  const pool = Array.from(`aZé ½²'"\\%_,.-@\t\u00a0\u200c\u200d\u0301\u0308\u0931\u093c\u093fกิ่İıΣςßẞ日한🎉`);
  return Array.from({ length: randomInt(30) }, () => {
    if (randomInt(3) > 0) return pool[randomInt(pool.length)]!;
    const point = randomInt(1, randomInt(2) ? 0x3000 : 0x20000);
    return point >= 0xd800 && point < 0xe000 ? ' ' : String.fromCodePoint(point);
  }).join('');
}

test('the database splits a text as the API does, which counts the words of a search', async () => {
  // PostgreSQL does not sort marks that are newer than its version of Unicode.
  const newer = new Set((await database.query(newerMarks, [marks])).map(({ mark }) => mark));
  const texts = Array.from({ length: 2_000 }, () =>
    Array.from(randomText(), (one) => (newer.has(one) ? ' ' : one)).join(''),
  );
  const split = await wordsOf(...texts);
  for (const [i, text] of texts.entries()) {
    const folded = searchWords(text).map((word) => lowerCase(word));
    expect({ text, words: split[i]!.toSorted() }).toEqual({ text, words: Array.from(new Set(folded)).toSorted() });
  }
});

/** Converts each letter separately. A final sigma becomes an ordinary sigma, and the dotted I an i. */
const lowerCase = (word: string) =>
  Array.from(word, (letter) => (letter === 'İ' ? 'i' : letter === 'ς' ? 'σ' : letter.toLowerCase())).join('');

test('each word is found by its first letters, regardless of case, and by nothing else', async () => {
  expect(await finds('Ada Lovelace ada@robotics.example', 'EXAM robo')).toBe(true);
  expect(await finds('Ada Lovelace', 'lace')).toBe(false);
  expect(await finds('Ada Lovelace', 'ada x')).toBe(false);
  expect(await finds('José', 'jose')).toBe(false);
  expect(await finds('José', 'JOSE\u0301')).toBe(true);
});

test('comparing a text with the words has the same result as the index', async () => {
  const compare = statement<{ text: string; query: string }>(
    '',
    `SELECT given.last_name AS text, given.query FROM unnest($2::text[], $3::text[]) AS given (last_name, query),
       LATERAL (SELECT $1::uuid AS org_id, '${id}'::uuid AS id, given.last_name, NULL::text AS first_name,
         NULL::text AS middle_name, NULL::text AS email, NULL::text AS company) r
     WHERE (${comparedWords(contacts)}) IS DISTINCT FROM (${wordsCondition(contacts)})`.replaceAll(
      '$filter',
      'given.query',
    ),
  );
  const ascii = () => Array.from({ length: randomInt(1, 12) }, () => 'aB1 .@-_%\\()[]^$*'[randomInt(18)]).join('');
  const texts = Array.from({ length: 4_000 }, (_, i) => (i % 4 === 0 ? randomText() : ascii()));
  const queries = texts.map((text) => {
    const words = searchWords(text);
    const begun = words.map((word) => word.slice(0, randomInt(1, word.length + 1)));
    return [begun.join(' '), 'a', 'b1', 'A B', 'k', 'é'][randomInt(2) * randomInt(6)] || 'a';
  });
  expect(await database.query(compare, [orgId, texts, queries])).toEqual([]);
  for (const [text, query, isFound] of [
    ['\u212aelvin', 'ke', true],
    ['Kelvin', '\u212aE', true],
    ['xa-ab', 'ab', true],
    ['xab', 'ab', false],
  ] as const)
    expect(await finds(text, query)).toBe(isFound);
});

test('a word of 255 characters is found by all its characters, and longer words are stored and found', async () => {
  const [long, other] = [`${'ж'.repeat(254)}a`, `${'ж'.repeat(254)}b`];
  expect(await finds(long, long)).toBe(true);
  expect(await finds(other, long)).toBe(false);
  expect(await finds(`${'😀'.repeat(10)}${'漢'.repeat(2_048)}`, '漢'.repeat(400))).toBe(true);
  expect(await finds(`Ada ${'漢'.repeat(2_048)}`, `${'漢'.repeat(2_040)} ada`)).toBe(true);
});

test('the words of one organization are not found by another', async () => {
  const [row] = await database.query(
    statement<{ matches: boolean }>('', 'SELECT search_words($1, $2, $4) @@ search_query($3, $4) AS matches'),
    [orgId, id, randomUUID(), 'ada'],
  );
  expect(row).toEqual({ matches: false });
});

test('the first part has a sixteenth of records created over years, and at most a quarter of those created within minutes', async () => {
  const partsOf = statement<{ parts: number[] }>(
    '',
    `SELECT array_agg(n ORDER BY query::text) AS parts FROM (
       SELECT query, (SELECT count(*)::int FROM generate_series(1, 4000) i WHERE search_words($1,
         (lpad(to_hex($2::bigint + $3::bigint * i), 12, '0') || '70008000000000000000')::uuid, 'Ada Lovelace') @@ query) AS n
       FROM search_queries($1, 'ada lo') query
     ) counted`,
  );
  const begun = Date.UTC(2026, 0, 1);
  const minutes = (await database.query(partsOf, [orgId, begun, 50]))[0]!.parts;
  const years = (await database.query(partsOf, [orgId, begun, 25_000_000]))[0]!.parts;
  expect(minutes.map((part) => Math.round((16 * part) / 4_000)).toSorted((a, b) => a - b)).toEqual([0, 4, 12]);
  expect(years.map((part) => Math.round((16 * part) / 4_000))).toEqual([1, 3, 12]);
});

test('a record whose id has no time is found, too', async () => {
  for (let i = 0; i < 100; i++) {
    const [row] = await database.query(matches, [orgId, randomUUID(), 'Ada', 'ada']);
    expect(row).toEqual({ matches: true });
  }
});

test('words do not depend on the locale of the database', async () => {
  const text = 'İSTANBUL Ärger ΟΔΟΣ ÇELİK I';
  const [expected] = await wordsOf(text);
  const collations = await owner.query(
    statement<{ name: string }>(
      '',
      `SELECT quote_ident(collname) AS name FROM pg_collation
       WHERE collname IN ('C', 'POSIX', 'pg_c_utf8', 'tr-x-icu', 'und-x-icu') AND collencoding IN (-1, 6)`,
    ),
    [],
  );
  expect(collations.length).toBeGreaterThan(1);
  for (const { name } of collations) {
    const [row] = await owner.query(
      statement<{ same: boolean }>(
        '',
        `SELECT search_words($1, $2, $3 COLLATE ${name}) = search_words($1, $2, $3) AS same`,
      ),
      [orgId, id, text],
    );
    expect({ name, ...row }).toEqual({ name, same: true });
  }
  expect(expected).toContain('istanbul');
});
