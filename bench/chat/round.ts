import { readFile } from 'node:fs/promises';
import { withCpu } from '@relata/testbed/cpu';
import type { Program } from '@relata/testbed/program';
import type { Measured } from '@relata/testbed/rounds';
import type { AnswersJob, AnswersResult, Visitors } from './answers.ts';
import type { TestBed } from './test-bed.ts';

export interface Round extends AnswersResult {
  answersPerSecond: number;
  tokensPerSecond: number;
  /** Processor time of the answering process; NaN if the system does not provide it. */
  cpuSeconds: number;
}

export interface Comparison<Result extends Record<keyof Result, number> = Round> {
  floor: Measured<Result>;
  relata: Measured<Result>;
}

export interface RoundContext {
  bed: TestBed;
  visitors: Visitors;
  service: Program;
}

export type Asked = Pick<AnswersJob, 'atOnce' | 'each' | 'tokens'> & { questions?: readonly string[] };

/** Runs the load once, and measures the processor time of the process that answers. */
export async function measureRound({ bed, visitors, service }: RoundContext, asked: Asked): Promise<Round> {
  const job = { url: service.url, headers: bed.headers, questions: bed.questions, ...asked };
  const { result, cpu } = await withCpu({ service: service.pid }, () =>
    visitors.run(job).catch((error: unknown) => fail(bed, error)),
  );
  return {
    ...result,
    answersPerSecond: result.answers / result.seconds,
    tokensPerSecond: result.tokens / result.seconds,
    cpuSeconds: cpu.service,
  };
}

const warningsShown = 5;

/** Throws the error with the gateway's warnings, which show for example that the built-in model answered. */
async function fail({ logFile }: TestBed, error: unknown): Promise<never> {
  const lines = (await readFile(logFile, 'utf8')).split('\n');
  const warnings = lines.filter((line) => line.includes('"level":') && !line.includes('"level":"info"'));
  const shown = warnings.slice(-warningsShown).map((line) => line.slice(0, 1_000));
  throw new Error([(error as Error).message, ...shown].join('\n'), { cause: error });
}
