import { glob } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { type Knowledge, openKnowledge } from '../knowledge.ts';
import * as heldOut from './held-out-questions.harness.ts';
import * as later from './later-questions.harness.ts';
import * as tuned from './tuned-questions.harness.ts';

const dir = new URL('../../../../examples/acme-knowledge', import.meta.url).pathname;
const baseUrl = 'https://acme.example/docs/';

let knowledge: Knowledge;

beforeAll(async () => {
  knowledge = await openKnowledge({ dir, baseUrl });
});

const found = (question: string) => knowledge.search(question, '').map(({ url }) => url.slice(baseUrl.length));
const laterQuestions = later.questions.map(([question, pages]) => [question, ...pages] as const);
const allQuestions = [...tuned.questions, ...heldOut.questions, ...laterQuestions];

/** Returns the percentage of questions whose page is found, and the questions whose page is not. */
function measure(questions: readonly tuned.QuestionCase[], isFound: (pages: string[], expected: string[]) => boolean) {
  const missed = questions.filter(([question, ...pages]) => !isFound(found(question), pages));
  return { share: 100 - (100 * missed.length) / questions.length, missed: missed.map(([question]) => question) };
}

test.each([
  ['tuned on', tuned.questions, 90, 80],
  ['held out', heldOut.questions, 86, 75],
  ['written before the search was replaced', laterQuestions, 79, 70],
])('questions %s find their page', (_which, questions, amongMin, firstMin) => {
  const among = measure(questions, (pages, expected) => pages.some((page) => expected.includes(page)));
  expect(among.share, JSON.stringify(among.missed, null, 2)).toBeGreaterThanOrEqual(amongMin);
  const first = measure(questions, ([page = ''], expected) => expected.includes(page));
  expect(first.share, JSON.stringify(first.missed, null, 2)).toBeGreaterThanOrEqual(firstMin);
});

test.each([
  ['tuned on', tuned.offTopic],
  ['held out', heldOut.offTopic],
])('at least 9 of 10 off-topic questions find nothing: %s', (_which, questions) => {
  const taken = questions.filter((question) => found(question).length > 0);
  expect(taken.length / questions.length, JSON.stringify(taken, null, 2)).toBeLessThanOrEqual(0.1);
});

test('every expected page exists, and every page is expected by a question', async () => {
  const expected = new Set(allQuestions.flatMap(([, ...pages]) => pages));
  const files = await Array.fromAsync(glob('**/*.md', { cwd: dir }));
  expect(files.map((file) => file.replace(/\.md$/, '')).toSorted()).toEqual([...expected].toSorted());
  expect(knowledge.pageCount).toBe(expected.size);
});
