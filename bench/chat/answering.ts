import type { Program } from '@relata/testbed/program';
import { interleaved } from '@relata/testbed/rounds';
import type { Visitors } from './answers.ts';
import { follow, type ModelScript } from '@relata/testbed/model';
import { say } from '@relata/testbed/suite-program';
import type { ChatPlan } from './plan.ts';
import { type Asked, type Comparison, measureRound } from './round.ts';
import type { TestBed } from './test-bed.ts';
import { verify } from './verify.ts';

export interface ChatContext {
  bed: TestBed;
  visitors: Visitors;
  plan: ChatPlan;
}

export interface Answering extends Comparison {
  atOnce: number;
  script: ModelScript;
}

const shortAnswer = { tokens: 20, gapMs: 0 };
const longAnswer = { firstMs: 0, tokens: 400, gapMs: 0 };

const firstTokenRows = [
  { atOnce: 1, script: { ...shortAnswer, firstMs: 0 } },
  { atOnce: 32, script: { ...shortAnswer, firstMs: 0 } },
  { atOnce: 32, script: { ...shortAnswer, firstMs: 200 } },
];
const tokenRows = [8, 64].map((atOnce) => ({ atOnce, script: longAnswer }));

/** Measures the time to the first token, and the throughput with a model that answers without delay. */
export async function measureAnswering(context: ChatContext) {
  const { bed, plan } = context;
  await using floor = await bed.startFloor();
  await using relata = await bed.startRelata();
  const services = { floor, relata };
  say('warming up');
  for (const service of Object.values(services)) await warmUp(context, service);
  const measure = async (row: (typeof firstTokenRows)[number], answers: number) => {
    say(`${row.script.tokens} tokens after ${row.script.firstMs} ms, ${row.atOnce} at once`);
    return compare(context, services, { ...row, answers });
  };
  const firstTokens: Answering[] = [];
  for (const row of firstTokenRows) firstTokens.push(await measure(row, plan.firstTokenAnswers));
  const tokens: Answering[] = [];
  for (const row of tokenRows) tokens.push(await measure(row, plan.tokenAnswers));
  return { firstTokens, tokens };
}

/** Warms a service up. Throws if its first answer is not the model's. */
export async function warmUp({ bed, visitors, plan }: ChatContext, service: Program): Promise<void> {
  await verify(bed, service);
  await follow(bed.model, { ...shortAnswer, firstMs: 0 });
  const atOnce = 4;
  await measureRound({ bed, visitors, service }, { atOnce, each: Math.ceil(plan.warmUpAnswers / atOnce) });
}

interface Row {
  atOnce: number;
  script: ModelScript;
  answers: number;
}

async function compare(
  { bed, visitors, plan }: ChatContext,
  services: Record<'floor' | 'relata', Program>,
  { atOnce, script, answers }: Row,
): Promise<Answering> {
  await follow(bed.model, script);
  const asked: Asked = { atOnce, each: Math.ceil(answers / atOnce), tokens: script.tokens };
  const of = (service: Program) => () => measureRound({ bed, visitors, service }, asked);
  const measured = await interleaved(plan.rounds, { floor: of(services.floor), relata: of(services.relata) });
  return { atOnce, script, ...measured };
}
