import { type Knowledge, openKnowledge, sourcesFor } from '@relata/knowledge';
import { beforeAll, expect, test } from 'vitest';
import { answer } from '../answer.ts';
import { heldOut } from './held-out-answers.ts';
import { type Expected, expected } from './tuned-answers.ts';
import { factReader } from '../facts/facts.ts';

const dir = new URL('../../../../../examples/acme-knowledge', import.meta.url).pathname;

let knowledge: Knowledge;

beforeAll(async () => {
  knowledge = await openKnowledge({ dir, baseUrl: 'https://acme.example/docs/' });
});

const read = factReader();

/** What the assistant says to the last of what a visitor says, all answers between left out. */
function answerTo(said: string | readonly string[]): string {
  const visitor = [said].flat().toReversed();
  const [question = '', before = ''] = visitor;
  const turns = { question, visitor, answered: before === '' ? '' : 'It is so. [1]' };
  return answer({ turns, sources: sourcesFor(knowledge, { question, before }, ''), canOffer: true }, read).text;
}

/** The share of the questions whose answer has the phrase that it has to have, and what else was said. */
function measure(questions: readonly Expected[]): { share: number; faults: Record<string, string> } {
  const faults = questions.flatMap(([said, phrase]) => {
    const text = answerTo(said);
    return phrase.test(text) ? [] : [[[said].flat().join(' / '), text] as const];
  });
  const share = Math.round((1_000 * (questions.length - faults.length)) / questions.length) / 10;
  return { share, faults: Object.fromEntries(faults) };
}

test.each([
  ['that the answers were tuned on', expected, 97],
  ['that the answers were not tuned on', heldOut, 81],
])('of the questions %s few lack the phrase that answers them', (name, questions, least) => {
  const { share, faults } = measure(questions);
  console.info(`Of ${questions.length} questions ${name} ${share} % are answered.`);
  expect(share, JSON.stringify(faults, null, 2)).toBeGreaterThanOrEqual(least);
});

test('no answer takes more than 20 ms or is longer than 900 characters and a table', () => {
  for (const [said] of [...expected, ...heldOut]) {
    const text = answerTo(said);
    // Of three times the shortest: the machine has other things to do.
    expect(Math.min(...[0, 1, 2].map(() => timeOf(said))), String(said)).toBeLessThan(20);
    expect(text.replaceAll(/^\|.*$/gm, '').length, String(said)).toBeLessThanOrEqual(900);
  }
});

function timeOf(said: string | readonly string[]): number {
  const startedAt = performance.now();
  answerTo(said);
  return performance.now() - startedAt;
}
