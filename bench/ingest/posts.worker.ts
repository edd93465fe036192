import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '@relata/testbed/connection';
import type { LoadReply } from '@relata/testbed/load';
import { leadBody } from './lead.ts';
import type { PostsJob, PostsResult } from './posts.ts';

process.on('message', (job: PostsJob) => {
  const answer = (reply: LoadReply<PostsResult>) => process.send?.(reply);
  const { rate } = job;
  const run = 'connections' in rate ? postFast(job, rate.connections) : postPaced(job, rate.perSecond);
  run.then(
    (result) => answer({ result }),
    (error: unknown) => answer({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.once('disconnect', () => process.exit());

const now = () => performance.timeOrigin + performance.now();
const status = 202;

async function postFast(job: PostsJob, connections: number): Promise<PostsResult> {
  const { hostname: host, port } = new URL(job.url);
  // Created before the measurement.
  const requests = Array.from({ length: job.count }, (_, i) => bytesOf(job, leadBody(job.from + i))).map((bytes) => ({
    bytes,
    status,
  }));
  let next = 0;
  const options = { host, port: Number(port), next: () => requests[next++], onAnswer: () => undefined };
  const startedAt = now();
  await Promise.all(Array.from({ length: connections }, () => new Connection(options).done));
  return { startedAt, answeredAt: now(), sentAt: [] };
}

function bytesOf({ url, path, headers }: PostsJob, body: string): Buffer {
  const all = {
    Host: new URL(url).host,
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/** Each at its own instant, whether those before it were answered or not; gaps are as random as those of visitors. */
async function postPaced(job: PostsJob, perSecond: number): Promise<PostsResult> {
  using agent = new PostAgent();
  const sentAt: number[] = [];
  const answers: Promise<void>[] = [];
  const startedAt = now();
  let due = startedAt;
  for (let i = 0; i < job.count; i++) {
    due -= (Math.log(1 - Math.random()) * 1_000) / perSecond;
    await pause(Math.max(0, due - now()));
    sentAt.push(now());
    answers.push(postOne(job, leadBody(job.from + i), agent));
  }
  await Promise.all(answers);
  return { startedAt, answeredAt: now(), sentAt };
}

class PostAgent extends Agent implements Disposable {
  constructor() {
    super({ keepAlive: true });
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}

function postOne({ url, path, headers }: PostsJob, body: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { ...headers, 'Content-Type': 'application/json' } };
    const sent = request(url + path, options, (response) => {
      if (response.statusCode !== status) reject(new Error(`An answer was ${response.statusCode}.`));
      response.resume().once('end', resolve).once('error', reject);
    });
    sent.once('error', reject).end(body);
  });
}
