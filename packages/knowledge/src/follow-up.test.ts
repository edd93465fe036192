import { expect, test } from 'vitest';
import { runToEnd } from '@relata/schemas/time-slices';
import { isFollowUp, sourcesInSlices } from './follow-up.ts';
import { loadFiles } from './knowledge.harness.ts';

const pages = {
  'plans.md': '# Plans\n\nThe Team plan is made for 50 people.\n',
  'people.md': '# People\n\nOur people work in Leeds.\n',
  'parking.md': '# Parking\n\nVisitors find parking behind the warehouse.\n',
};

async function titles(question: string, before: string): Promise<string[]> {
  const knowledge = await loadFiles(pages);
  return runToEnd(sourcesInSlices(knowledge, { question, before }, '')).map(({ title }) => title);
}

test.each(['and for 50 people?', 'what about Business?', 'tell me more', 'how much is it?', 'and Business?', 'why?'])(
  '%j is a follow-up question',
  (question) => {
    expect(isFollowUp(question)).toBe(true);
  },
);

test.each([
  'Where is our data kept?',
  'parking',
  'Does it work with Slack?',
  'and can I cancel?',
  'hi',
  'and now I would like to know where visitors are supposed to park',
  `and ${'so on '.repeat(1_000)}`,
])('%.40j is an independent question', (question) => {
  expect(isFollowUp(question)).toBe(false);
});

test('a follow-up question is searched together with the one before it', async () => {
  expect((await titles('and for people?', 'what does the team plan cost'))[0]).toBe('Plans');
  expect((await titles('and for people?', ''))[0]).toBe('People');
});

test('an independent question is searched without the one before it', async () => {
  expect(await titles('where do visitors find parking', 'what does the team plan cost')).toEqual(['Parking']);
});

test('a question that finds nothing is searched again together with the one before it', async () => {
  expect(await titles('zebra', 'visitors parking')).toEqual(['Parking']);
});
