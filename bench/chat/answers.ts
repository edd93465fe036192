import { LoadProcess } from '../load/load-process.ts';

/** Visitors who each ask one question after another, and read every answer to its end. */
export interface AnswersJob {
  url: string;
  headers: Record<string, string>;
  /** Asked in turn. */
  questions: readonly string[];
  /** How many ask at once, each over a connection of its own. */
  atOnce: number;
  /** Answers that each of them reads. */
  each: number;
  /** What every answer has: one with more or fewer ends the run with an error. Undefined where they differ. */
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
  /** Of one core, used by those who ask. */
  cpuShare: number;
}

export type Visitors = LoadProcess<AnswersJob, AnswersResult>;

export const openVisitors = (): Visitors => new LoadProcess(new URL('./answers.worker.ts', import.meta.url));

/** What the SDK's transport sends for a conversation that begins. */
export function questionBody(question: string): object {
  const message = { id: 'msg-Zk3vQ8xN1pR5tY7w', role: 'user', parts: [{ type: 'text', text: question }] };
  return { id: 'chat-J4hG6fD8sA2qW5eR', messages: [message], trigger: 'submit-message' };
}

export const chatPath = '/v1/genie/chat';
