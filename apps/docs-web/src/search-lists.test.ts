import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { expect, test } from 'vitest';
import { builtDocs } from './docs.harness.ts';
import { indexOptions, searchOptions } from './search-options.ts';

const index = MiniSearch.loadJSON(await readFile(join(await builtDocs(), 'docs/search.json'), 'utf8'), indexOptions);

test.each([
  ['largest open deals', 'the-ten-largest-open-deals-of-a-user-with-their-accounts'],
  ['top ten opportunities', 'the-ten-largest-open-deals-of-a-user-with-their-accounts'],
  ['open opportunities of owner', 'the-ten-largest-open-deals-of-a-user-with-their-accounts'],
  ['biggest deals', 'the-ten-largest-open-deals-of-a-user-with-their-accounts'],
  ['filter by amount', 'open-deals-above-an-amount'],
  ['find contact email', 'find-a-contact-by-email-address'],
  ['contacts of account', 'contacts-of-an-account'],
  ['filter tags', 'filter-by-tags'],
  ['full-text search', 'full-text-search'],
  ['modified since', 'changed-since'],
  ['pagination cursor', 'all-pages'],
  ['count records', 'count-records'],
  ['expand account', 'related-records-and-fields'],
  ['sum amount by stage', 'sums-of-the-pipeline'],
])('the search for "%s" shows the recipe among its first results', (query, anchor) => {
  const urls = index.search(query, searchOptions).map((each) => each['url'] as string);
  expect(urls.slice(0, 5)).toContain(`/docs/lists#${anchor}`);
});
