import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HttpClient } from '@relata/testbed/http-client';
import { knowledge } from '@relata/testbed/places';
import { Random } from '@relata/testbed/random';
import { neighbour } from '../../neighbour.ts';
import { crowd, floodAddress, questionFrom } from './question.ts';

/** Number of long pages, which have 5 MB in total. */
const pagesCount = 300;
const wordsOfPage = 1_800;
const knownCount = 60_000;

const visitorsCount = 8;
const againAfterMs = 100;

const vowels = Array.from('aeiou');
const syllables = Array.from('bcdfglmnprst').flatMap((first) => vowels.map((second) => first + second));

/** Words in most passages. The probe's question has none of them. */
const common = 'field report webhook export import password record pipeline filter column email note'.split(' ');

function wordFrom(random: Random): string {
  return Array.from({ length: random.between(2, 6) }, () => random.pick(syllables)).join('');
}

/** Writes pages with word frequencies like those of a language. Every page has the common words. */
async function writePages(folder: string): Promise<string> {
  const random = new Random(1);
  const known = Array.from({ length: knownCount }, () => wordFrom(random));
  const nextWord = () =>
    random.has(0.1)
      ? random.pick(common)
      : known[Math.floor(random.next() * random.next() * random.next() * knownCount)];
  const dir = join(folder, 'large-knowledge');
  await mkdir(dir);
  for (let page = 0; page < pagesCount; page++) {
    const lines = Array.from({ length: wordsOfPage / 10 }, () => Array.from({ length: 10 }, nextWord).join(' '));
    await writeFile(join(dir, `page-${page}.md`), `# Page ${page}\n\n${lines.join('.\n\n')}.\n`);
  }
  return dir;
}

/**
 * Returns a question that matches no page well: the search reads all of its sentences, compares 8 unknown words of each
 * with the words of the pages, and scores nearly all passages for its common words.
 */
function expensiveQuestion(random: Random): string {
  const unknown = () => Array.from({ length: 5 }, () => random.pick(syllables)).join('') + 'wqx';
  const sentence = () => [...Array.from({ length: 8 }, unknown), ...random.shuffled(common).slice(0, 8)].join(' ');
  return Array.from({ length: 6 }, sentence).join('. ');
}

export const expensiveQuestions = neighbour({
  name: 'large-knowledge',
  flood: `${visitorsCount} visitors who ask the most expensive questions about ${pagesCount} long pages`,
  probes: ['chat', 'demo'],
  apps: ['chat-gateway'],
  settings: async (folder) => ({
    KNOWLEDGE_DIR: await writePages(folder),
    KNOWLEDGE_BASE_URL: knowledge.baseUrl,
  }),
  responses: { status: [200, 503] },
  async run(context) {
    const { urls, signal, count } = context;
    using client = new HttpClient(urls['chat-gateway']!);
    const random = new Random(2);
    await crowd(signal, { visitors: visitorsCount, againAfterMs }, async (asked) => {
      const question = questionFrom(context, floodAddress(asked), expensiveQuestion(random));
      count('asked');
      count(`status ${await client.statusOf(question)}`);
    });
  },
  // Every visitor has a question that is being searched.
  hasEffect: ({ figures }) => figures['asked']! >= visitorsCount && figures['status 200']! > 0,
});
