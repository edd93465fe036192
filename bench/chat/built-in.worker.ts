import { openKnowledge } from '@relata/knowledge';
import { builtInModel } from '@relata/chat-gateway/built-in-model';
import { serveJobs, watchOwnCpu } from '@relata/testbed/serve-jobs';
import type { BuiltInRound, CeilingJob } from './built-in.ts';
import { latencyOf } from '@relata/testbed/quantile';
import { knowledge } from '@relata/testbed/places';

const { search } = await openKnowledge(knowledge);

serveJobs(run);

async function run({ questions, answers }: CeilingJob): Promise<BuiltInRound> {
  const used = watchOwnCpu();
  const wholeMs: number[] = [];
  for (let i = 0; i < answers; i++) {
    const askedAt = performance.now();
    await ask(questions[i % questions.length]!);
    wholeMs.push(performance.now() - askedAt);
  }
  const { seconds, cpuSeconds } = used();
  const { p50Ms, p99Ms } = latencyOf(wholeMs);
  return { answers, answersPerSecond: answers / seconds, cpuSeconds, wholeP50Ms: p50Ms, wholeP99Ms: p99Ms };
}

async function ask(question: string): Promise<void> {
  const sources = search(question, '');
  const turns = [{ role: 'user' as const, content: question }];
  const { stream } = await builtInModel({ turns, sources }).doStream({ prompt: [] });
  for await (const part of stream) if (part.type === 'error') throw part.error;
}
