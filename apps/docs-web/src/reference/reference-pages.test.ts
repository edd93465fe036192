import { expect, test } from 'vitest';
import { makeReference } from './reference-pages.ts';

const { pages } = makeReference();
const pageOf = (name: string) => pages.find(({ path }) => path === `/docs/reference/${name}`)!.markdown;

/** Returns the rows of the table under a bold title, by their field. */
function tableUnder(page: string, title: string): Map<string, string[]> {
  const [, table = ''] = page.split(`**${title}**\n\n`);
  const rows = table.split('\n\n', 1)[0]!.split('\n').slice(2);
  return new Map(
    rows.map((row) => {
      const [field = '', ...cells] = row
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((text) => text.trim());
      return [field, cells];
    }),
  );
}

test.each(['accounts', 'contacts', 'opportunities'])(
  'a batch of %s has one table per operation, with the required fields of that operation alone',
  (name) => {
    const page = pageOf(name);
    const required = Object.fromEntries(
      ['create', 'update', 'upsert'].map((operation) => {
        const fields = [...tableUnder(page, `Body, if \`operation\` is \`${operation}\``).keys()];
        return [operation, fields.filter((field) => /^`(?:operation|items|items\[\]\.\w+)` required$/.test(field))];
      }),
    );
    const both = ['`operation` required', '`items` required'];
    expect(required['create']!.length).toBeGreaterThan(2);
    expect(required['create']).not.toContain('`items[].id` required');
    expect(required['update']).toEqual([...both, '`items[].id` required', '`items[].set` required']);
    expect(required['upsert']).toEqual([...both, '`items[].match` required']);
  },
);

test('no cell of a table repeats its type, and a union has no cell without a description', () => {
  for (const { markdown } of pages) expect(markdown).not.toMatch(/\| (array of [^|]*|object) or \1[ |]/);
  const rows = tableUnder(pageOf('accounts'), 'Body, if `operation` is `upsert`');
  expect(rows.get('`operation` required')).toEqual(['`"upsert"`', 'The operation to perform on every item.']);
  expect(rows.get('`items[].set`')?.[1]).toMatch(/\w/);
});

test('the type of a number shows exclusive limits', () => {
  expect(pageOf('opportunities')).toContain(
    '| `amount` | number (over -1,000,000,000,000,000 and under 1,000,000,000,000,000) or null |',
  );
});
