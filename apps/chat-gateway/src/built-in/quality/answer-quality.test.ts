import { type Knowledge, openKnowledge, sourcesInSlices } from '@relata/knowledge';
import { questions as later } from '@relata/knowledge/questions/later';
import { runToEnd } from '@relata/schemas/time-slices';
import { beforeAll, expect, test } from 'vitest';
import { answer } from '../answer.ts';
import { heldOut } from './held-out-answers.harness.ts';
import { type Expected, expected } from './tuned-answers.harness.ts';

const dir = new URL('../../../../../examples/acme-knowledge', import.meta.url).pathname;

let knowledge: Knowledge;

beforeAll(async () => {
  knowledge = await openKnowledge({ dir, baseUrl: 'https://acme.example/docs/' });
});

/**
 * Returns the answer to the last of a visitor's messages. The conversation contains no answers to the messages before
 * it.
 */
function answerTo(said: string | readonly string[]): string {
  const visitor = [said].flat().toReversed();
  const [question = '', before = ''] = visitor;
  const turns = { question, visitor, answered: before === '' ? '' : 'It is so. [1]' };
  return answer({ turns, sources: runToEnd(sourcesInSlices(knowledge, { question, before }, '')) }).text;
}

const laterAnswers = later.map(([question, , phrase]): Expected => [question, phrase]);

test.each([
  ['tuned on', expected, 74],
  ['held out', heldOut, 80],
  ['written before the search was replaced', laterAnswers, 76],
])('answers to questions %s quote the phrase that answers them', (_which, questions, least) => {
  const missed = questions.flatMap(([said, phrase]) => (phrase.test(answerTo(said)) ? [] : [[said, answerTo(said)]]));
  const share = 100 - (100 * missed.length) / questions.length;
  expect(share, JSON.stringify(missed, null, 2)).toBeGreaterThanOrEqual(least);
});

test('an answer has at most 2,000 characters', () => {
  for (const [said] of [...expected, ...heldOut, ...laterAnswers])
    expect(answerTo(said).length, String(said)).toBeLessThanOrEqual(2_000);
});
