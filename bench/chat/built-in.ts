import { pathToFileURL } from 'node:url';
import { nodeOptions } from '@relata/service';
import { LoadProcess } from '@relata/testbed/load-process';
import { interleaved, type Measured } from '@relata/testbed/rounds';
import type { ChatContext } from './answering.ts';
import { knowledge } from '@relata/testbed/places';
import { say } from '@relata/testbed/suite-program';
import { allQuestions } from './findings.ts';
import { measureRound, type Round } from './round.ts';

export const builtInAtOnce = 16;

/** A job that calls the search and the built-in model directly, one question after another. */
export interface CeilingJob {
  url: string;
  questions: readonly string[];
  answers: number;
}

export type BuiltInRound = Pick<Round, 'answers' | 'answersPerSecond' | 'cpuSeconds' | 'wholeP50Ms' | 'wholeP99Ms'>;

export type BuiltIn = Record<'relata' | 'ceiling', Measured<BuiltInRound>>;

/** Measures the built-in model, over HTTP and called directly. */
export async function measureBuiltIn({ bed, visitors, plan }: ChatContext): Promise<BuiltIn> {
  say('the built-in model');
  await using service = await bed.startRelata({ isBuiltIn: true });
  await using ceiling = new LoadProcess<CeilingJob, BuiltInRound>(
    new URL('./built-in.worker.ts', import.meta.url),
    nodeOptions,
  );
  const relata = (answers: number) => () =>
    measureRound(
      { bed, visitors, service },
      { atOnce: builtInAtOnce, each: Math.ceil(answers / builtInAtOnce), questions: allQuestions },
    );
  const job = { url: pathToFileURL(knowledge.dir).href, questions: allQuestions };
  const alone = (answers: number) => () => ceiling.run({ ...job, answers });
  await relata(plan.warmUpAnswers)();
  await alone(plan.warmUpAnswers)();
  return await interleaved<keyof BuiltIn, BuiltInRound>(plan.rounds, {
    relata: relata(plan.builtInAnswers),
    ceiling: alone(plan.builtInAnswers),
  });
}
