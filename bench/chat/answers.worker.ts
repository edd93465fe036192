import { setTimeout as pause } from 'node:timers/promises';
import { requestBytes } from '@relata/testbed/connection';
import { serveJobs, watchOwnCpu } from '@relata/testbed/serve-jobs';
import { latencyOf } from '@relata/testbed/quantile';
import { chatPath, questionBody } from '@relata/testbed/chat-question';
import type { AnswersJob, AnswersResult } from './answers.ts';
import { type StreamedReply, StreamConnection } from './stream-connection.ts';

serveJobs(run);

/**
 * Pause before the first question, in which the server accepts all connections. Node accepts one connection per turn of
 * its event loop, so a connection that is opened later would wait while other answers are sent.
 */
const acceptMs = 200;

async function run(job: AnswersJob): Promise<AnswersResult> {
  const requests = job.questions.map((question) => ({
    bytes: requestBytes(job.url, 'POST', chatPath, job.headers, JSON.stringify(questionBody(question))),
  }));
  const answers: StreamedReply[] = [];
  const onAnswer = (answer: StreamedReply) => {
    if (job.tokens !== undefined && answer.tokens !== job.tokens)
      throw new Error(`An answer had ${answer.tokens} tokens instead of ${job.tokens}.`);
    answers.push(answer);
  };
  let asked = 0;
  const ask = () => requests[asked++ % requests.length]!;
  const connections = Array.from({ length: job.atOnce }, () => {
    let left = job.each;
    const next = () => (left-- > 0 ? ask() : undefined);
    return new StreamConnection({ url: job.url, next }, onAnswer);
  });
  const done = Promise.all(connections.map((connection) => connection.done));
  // An error before the start also rejects `connected`, which the next line awaits.
  done.catch(() => {});
  await Promise.all(connections.map((connection) => connection.connected));
  await pause(acceptMs);
  const used = watchOwnCpu();
  for (const connection of connections) connection.start();
  await done;
  const { seconds, cpuShare } = used();
  return { ...figuresOf(answers), seconds, cpuShare };
}

function figuresOf(answers: readonly StreamedReply[]): Omit<AnswersResult, 'seconds' | 'cpuShare'> {
  const first = latencyOf(answers.map(({ firstMs }) => firstMs));
  const whole = latencyOf(answers.map(({ wholeMs }) => wholeMs));
  return {
    answers: answers.length,
    tokens: answers.reduce((sum, { tokens }) => sum + tokens, 0),
    firstP50Ms: first.p50Ms,
    firstP99Ms: first.p99Ms,
    wholeP50Ms: whole.p50Ms,
    wholeP99Ms: whole.p99Ms,
  };
}
