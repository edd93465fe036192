import { glob } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { type Knowledge, openKnowledge } from '../knowledge.ts';
import * as heldOut from './held-out-questions.ts';
import * as tuned from './tuned-questions.ts';

const dir = new URL('../../../../examples/acme-knowledge', import.meta.url).pathname;
const baseUrl = 'https://acme.example/docs/';

let knowledge: Knowledge;

beforeAll(async () => {
  knowledge = await openKnowledge({ dir, baseUrl });
});

const found = (question: string) => knowledge.search(question, '').map(({ url }) => url.slice(baseUrl.length));

interface Figures {
  answered: number;
  first: number;
  refused: number;
  faults: string[];
}

/** Shares of the questions of which the page is among the three or is the first, and of those rightly left alone. */
function measure({ questions, offTopic }: Pick<typeof tuned, 'questions' | 'offTopic'>): Figures {
  const missed = questions.filter(([question, ...pages]) => !found(question).some((page) => pages.includes(page)));
  const first = questions.filter(([question, ...pages]) => pages.includes(found(question)[0] ?? ''));
  const taken = offTopic.filter((question) => found(question).length > 0);
  const share = (count: number, of: readonly unknown[]) => Math.round((1_000 * count) / of.length) / 10;
  return {
    answered: share(questions.length - missed.length, questions),
    first: share(first.length, questions),
    refused: share(offTopic.length - taken.length, offTopic),
    faults: [...missed.map(([question]) => question), ...taken],
  };
}

test('at least 9 of 10 questions find their page among the first three, 8 of 10 as the first, and 9 of 10 that are off topic find none', () => {
  const all = measure({
    questions: [...tuned.questions, ...heldOut.questions],
    offTopic: [...tuned.offTopic, ...heldOut.offTopic],
  });
  expect(all.answered, JSON.stringify(all, null, 2)).toBeGreaterThanOrEqual(90);
  expect(all.first, JSON.stringify(all, null, 2)).toBeGreaterThanOrEqual(80);
  expect(all.refused, JSON.stringify(all, null, 2)).toBeGreaterThanOrEqual(90);
});

test('questions that the search was not tuned on score hardly worse', () => {
  const figures = measure(heldOut);
  expect(figures.answered, JSON.stringify(figures, null, 2)).toBeGreaterThanOrEqual(87);
  expect(figures.refused, JSON.stringify(figures, null, 2)).toBeGreaterThanOrEqual(87);
});

test('every expected page exists, and every page is expected by a question', async () => {
  const expected = new Set([...tuned.questions, ...heldOut.questions].flatMap(([, ...pages]) => pages));
  const files = await Array.fromAsync(glob('**/*.md', { cwd: dir }));
  expect(files.map((file) => file.replace(/\.md$/, '')).toSorted()).toEqual([...expected].toSorted());
  expect(knowledge.pageCount).toBe(expected.size);
});
