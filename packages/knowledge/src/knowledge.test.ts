import { expectWithin } from '@relata/testing';
import { expect, test } from 'vitest';
import { loadFiles } from './knowledge.harness.ts';
import { type Knowledge, openKnowledge } from './knowledge.ts';

const acme = '0198c0de-0000-7000-8000-00000000acae';
const globex = '0198c0de-0000-7000-8000-0000000061be';

const refunds = '# Refunds\n\nMoney is paid back within 30 days.\n\n## Exceptions\n\nGift vouchers are not refunded.\n';
const parking = '# Parking\n\nThere are 40 parking spaces for visitors behind the warehouse.\n';

test('a page is found with its title, its address and the passages about the question', async () => {
  const knowledge = await loadFiles({ 'refunds.md': refunds, 'visit/parking.md': parking });
  expect(knowledge.pageCount).toBe(2);
  expect(knowledge.search('where can visitors park?', acme)).toEqual([
    {
      number: 1,
      title: 'Parking',
      url: 'https://acme.example/docs/visit/parking',
      passages: ['There are 40 parking spaces for visitors behind the warehouse.'],
      quotes: ['There are 40 parking spaces for visitors behind the warehouse.'],
    },
  ]);
  const [refund] = knowledge.search('are vouchers refunded', acme);
  expect(refund!.passages).toEqual([
    'Money is paid back within 30 days.',
    '## Exceptions\n\nGift vouchers are not refunded.',
  ]);
  expect(refund!.quotes[0]).toBe('## Exceptions\n\nGift vouchers are not refunded.');
});

test.each([
  '',
  '   ',
  '?',
  'the',
  'what is the boiling point of water',
  '停车场',
  'где парковка',
  '🅿️',
  '\0\ud800',
  '42',
])('finds nothing for %j', async (question) => {
  const knowledge = await loadFiles({ 'refunds.md': refunds, 'parking.md': parking });
  expect(knowledge.search(question, acme)).toEqual([]);
});

test('pages in scripts without spaces are found', async () => {
  const knowledge = await loadFiles({ 'parking.md': '# 停车场\n\n仓库后面有四十个停车位。', 'refunds.md': refunds });
  expect(knowledge.search('停车位？', acme)).toMatchObject([{ title: '停车场' }]);
});

test('a misspelt word is corrected to the nearest word of the pages', async () => {
  const knowledge = await loadFiles({ 'parking.md': parking, 'refunds.md': refunds });
  expect(knowledge.search('vistors parkng', acme)).toMatchObject([{ title: 'Parking' }]);
  expect(knowledge.search('exeptions', acme)).toMatchObject([{ title: 'Refunds' }]);
});

test('in a long message, a question at the beginning or the end is found', async () => {
  const knowledge = await loadFiles({ 'parking.md': parking, 'refunds.md': refunds });
  const story = 'My grandmother travelled to Lisbon by steamer in 1931 and wrote letters home.';
  expect(knowledge.search(`${story} Where can visitors park? ${story}`, acme)).toMatchObject([{ title: 'Parking' }]);
});

test.each(['refudn', 'refnds for free', 'is ther a refund', 'waht is the refund', 'fre refunds'])(
  'a typing error is tolerated: %j',
  async (question) => {
    const knowledge = await loadFiles({ 'a.md': '# Refunds\n\nRefunds are free.\n', 'parking.md': parking });
    expect(knowledge.search(question, acme).map(({ title }) => title)).toEqual(['Refunds']);
  },
);

test.each(['<b>refunds</b>', 'you are slow, what about refunds'])(
  'words around a question are left out if they prevent a match: %j',
  async (question) => {
    const knowledge = await loadFiles({ 'refunds.md': refunds, 'parking.md': parking });
    expect(knowledge.search(question, acme)[0]?.title).toBe('Refunds');
  },
);

test("pages in a folder named after an organization's id, at any depth, are found only for that organization", async () => {
  const knowledge = await loadFiles({
    'parking.md': parking,
    [`${acme}/discount.md`]: '# Partner discount\n\nPartners get 12 % off with the code ZEBRA.\n',
    [`partners/${globex}/discount.md`]: '# Secret discount\n\nFriends get 50 % off with the code OKAPI.\n',
  });
  const titles = (question: string, orgId: string) => knowledge.search(question, orgId).map(({ title }) => title);
  expect(titles('which discount is there', acme)).toEqual(['Partner discount']);
  expect(titles('which discount is there', globex.toUpperCase())).toEqual(['Secret discount']);
  expect(titles('which discount is there', '0198c0de-0000-7000-8000-000000000bad')).toEqual([]);
  expect(titles('okapi code', acme)).not.toContain('Secret discount');
  expect(titles('visitors parking', globex)).toEqual(['Parking']);
});

test('a page in the folders of two organizations is an error', async () => {
  await expect(loadFiles({ [`${acme}/${globex}/a.md`]: '# A\n\nB.\n' })).rejects.toThrow(/two organizations/);
});

test('pages of other organizations do not change the search results of an organization', async () => {
  const shared = { 'parking.md': parking, 'refunds.md': refunds };
  const others = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [
      `${globex}/${i}.md`,
      `# Visitors ${i}\n\nParking, refunds, vouchrs and vistors.`,
    ]),
  );
  const alone = await loadFiles(shared);
  const among = await loadFiles({ ...shared, ...others });
  for (const question of ['parking for visitors', 'vistors', 'vouchrs', 'refunds for parking']) {
    expect(among.search(question, acme)).toEqual(alone.search(question, acme));
  }
});

test('a search returns at most 3 pages with 6,000 characters', async () => {
  const section = (i: number) => `## Parking ${i}\n\n${'Visitors find parking behind the warehouse. '.repeat(40)}\n\n`;
  const long = Array.from({ length: 20 }, (_, i) => section(i)).join('');
  const files = Array.from({ length: 8 }, (_, i) => [`${i}.md`, `# Parking ${i}\n\n${long}`]);
  const sources = (await loadFiles(Object.fromEntries(files))).search('parking for visitors', acme);
  expect(sources.map(({ number }) => number)).toEqual([1, 2, 3]);
  expect(sources.flatMap(({ passages }) => passages).join('').length).toBeLessThanOrEqual(6_000);
});

const garbage = {
  'one word': 'a'.repeat(100_000),
  'many words': Array.from({ length: 20_000 }, (_, i) => `w${i}`).join(' '),
  'white space': ' '.repeat(100_000),
  sentences: 'is it? '.repeat(15_000),
  'ligatures that unfold': 'ﷺ '.repeat(50_000),
  'unpaired surrogates': '\ud800'.repeat(100_000),
};

test.each(Object.entries(garbage))(
  'a question of 100,000 characters of %s is searched quickly',
  async (_kind, question) => {
    const knowledge = await loadFiles({ 'parking.md': parking, 'refunds.md': refunds });
    await expectWithin(1_500, () => void knowledge.search(question, acme));
  },
);

/** Returns the number of steps of a search. Other work can run between them. */
function countSteps(knowledge: Knowledge, question: string): number {
  return Array.from(knowledge.searchInSlices(question, acme)).length;
}

test('each sentence of a question is searched in steps of its own', async () => {
  const knowledge = await loadFiles({ 'parking.md': parking, 'refunds.md': refunds });
  const steps = countSteps(knowledge, 'Is the sky blue?');
  // The whole question comes first, then its sentences.
  const more = countSteps(knowledge, 'Is the sky blue? Is the sky blue? Is the sky blue?');
  expect(more).toBe(4 * steps);
});

test('a word that may be misspelt is compared with at most 500 words of the pages in a step', async () => {
  const known = Array.from({ length: 10_000 }, (_, i) => `par${letters(i)}`);
  const knowledge = await loadFiles({ 'words.md': known.join(' ') });
  const unknown = Array.from({ length: 8 }, (_, i) => `parzqzq${letters(i)}`);
  expect(countSteps(knowledge, unknown.join(' '))).toBeGreaterThanOrEqual((8 * 10_000) / 500);
});

/** Returns a number as three letters. */
function letters(number: number): string {
  return [676, 26, 1].map((place) => String.fromCharCode(97 + (Math.floor(number / place) % 26))).join('');
}

test('a word is looked for in at most 5,000 passages in a step', async () => {
  const knowledge = await loadFiles({ 'spaces.md': '# Visits\n\n## Parking\n\nFree.\n\n'.repeat(20_000) });
  const few = await loadFiles({ 'spaces.md': '# Visits\n\n## Parking\n\nFree.\n\n' });
  expect(countSteps(knowledge, 'parking') - countSteps(few, 'parking')).toBeGreaterThanOrEqual(3);
  expect(knowledge.search('parking', acme)).toMatchObject([{ title: 'Visits' }]);
});

test('a knowledge base without a folder finds nothing', async () => {
  const knowledge = await openKnowledge({ dir: undefined, baseUrl: 'https://acme.example/' });
  expect(knowledge.pageCount).toBe(0);
  expect(knowledge.search('parking', acme)).toEqual([]);
});
