import { openKnowledge } from '@relata/knowledge';
import { builtInModel } from '@relata/chat-gateway/built-in-model';
import type { LoadReply } from '@relata/testbed/load';
import type { BuiltInRound, CeilingJob } from './built-in.ts';
import { quantile } from '@relata/testbed/quantile';
import { knowledge } from '@relata/testbed/places';

const { search } = await openKnowledge(knowledge);

process.on('message', (job: CeilingJob) => {
  const answer = (reply: LoadReply<BuiltInRound>) => process.send?.(reply);
  run(job).then(
    (result) => answer({ result }),
    (error: unknown) => answer({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.once('disconnect', () => process.exit());

async function run({ questions, answers }: CeilingJob): Promise<BuiltInRound> {
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const wholeMs: number[] = [];
  for (let i = 0; i < answers; i++) {
    const askedAt = performance.now();
    await ask(questions[i % questions.length]!);
    wholeMs.push(performance.now() - askedAt);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  const seconds = (performance.now() - startedAt) / 1_000;
  wholeMs.sort((a, b) => a - b);
  return {
    answers,
    answersPerSecond: answers / seconds,
    cpuSeconds: (user + system) / 1e6,
    wholeP50Ms: quantile(wholeMs, 0.5),
    wholeP99Ms: quantile(wholeMs, 0.99),
  };
}

async function ask(question: string): Promise<void> {
  const sources = search(question, '');
  const turns = [{ role: 'user' as const, content: question }];
  const { stream } = await builtInModel({ turns, sources, canOffer: true }).doStream({ prompt: [] });
  for await (const part of stream) if (part.type === 'error') throw part.error;
}
