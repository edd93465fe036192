import { LoadProcess } from '@relata/testbed/load-process';

/** Visitors who each ask one question after another and read every answer to its end. */
export interface AnswersJob {
  url: string;
  headers: Record<string, string>;
  questions: readonly string[];
  /** Number of concurrent visitors, each with its own connection. */
  atOnce: number;
  each: number;
  /** Number of tokens that every answer must have. Undefined if the lengths of the answers differ. */
  tokens?: number;
}

/** Figures of a job in which every answer was complete. */
export interface AnswersResult {
  answers: number;
  tokens: number;
  /** Time from the first question sent to the last answer read. */
  seconds: number;
  /** Time from sending the question to the first `text-delta`, and to the end of the answer. */
  firstP50Ms: number;
  firstP99Ms: number;
  wholeP50Ms: number;
  wholeP99Ms: number;
  /** The share of one core that the load process uses. */
  cpuShare: number;
}

export type Visitors = LoadProcess<AnswersJob, AnswersResult>;

export const openVisitors = (): Visitors => new LoadProcess(new URL('./answers.worker.ts', import.meta.url));
