import { openKnowledge, type Source } from '@relata/knowledge';
import * as heldOut from '@relata/knowledge/questions/held-out';
import * as tuned from '@relata/knowledge/questions/tuned';
import { knowledge } from '@relata/testbed/places';

export type Findings = Record<string, Source[]>;

/** Number of different questions. With fewer, caches would distort the result. */
const findingCount = 24;

export const allQuestions: readonly string[] = [...tuned.questions, ...heldOut.questions].map(([question]) => question);

/** Returns questions from all over the knowledge base, each with the passages that the search finds for it. */
export async function findForAll(): Promise<Findings> {
  const { search } = await openKnowledge(knowledge);
  const found = allQuestions
    .map((question) => [question, search(question, '')] as const)
    .filter(([, sources]) => sources.length > 0);
  const step = Math.floor(found.length / findingCount);
  return Object.fromEntries(found.filter((_, i) => i % step === 0).slice(0, findingCount));
}
