import { LoadProcess } from '@relata/testbed/load-process';

/** Visitors who each ask one question after another, and read every answer to its end. */
export interface AnswersJob {
  url: string;
  headers: Record<string, string>;
  /** Asked in turn. */
  questions: readonly string[];
  /** The number of visitors at once, each with a connection of its own. */
  atOnce: number;
  /** Answers that each of them reads. */
  each: number;
  /** The tokens of every answer; another number ends the run with an error. Undefined where answers differ. */
  tokens?: number;
}

/** Over all answers; every one of them was whole. */
export interface AnswersResult {
  answers: number;
  tokens: number;
  /** From the first question sent to the last answer read. */
  seconds: number;
  /** From the question sent to the first `text-delta`, and to the end of the answer. */
  firstP50Ms: number;
  firstP99Ms: number;
  wholeP50Ms: number;
  wholeP99Ms: number;
  /** The share of one core that the load process uses. */
  cpuShare: number;
}

export type Visitors = LoadProcess<AnswersJob, AnswersResult>;

export const openVisitors = (): Visitors => new LoadProcess(new URL('./answers.worker.ts', import.meta.url));
