import { setTimeout as pause } from 'node:timers/promises';
import { PlainConnection, requestBytes } from '@relata/testbed/connection';
import { HttpClient } from '@relata/testbed/http-client';
import { serveJobs } from '@relata/testbed/serve-jobs';
import { leadBody } from './lead.ts';
import type { PostsJob, PostsResult } from './posts.ts';

serveJobs((job: PostsJob) => {
  const { rate } = job;
  return 'connections' in rate ? postFast(job, rate.connections) : postPaced(job, rate.perSecond);
});

const now = () => performance.timeOrigin + performance.now();
const status = 202;

async function postFast(job: PostsJob, count: number): Promise<PostsResult> {
  const { url, path, headers } = job;
  // The bytes are prepared before the measurement.
  const requests = Array.from({ length: job.count }, (_, i) => ({
    bytes: requestBytes(url, 'POST', path, headers, leadBody(job.from + i)),
    status,
  }));
  let next = 0;
  const startedAt = now();
  const connections = Array.from({ length: count }, () => {
    return new PlainConnection({ url, next: () => requests[next++] }, () => undefined);
  });
  for (const connection of connections) void connection.connected.then(() => connection.start());
  await Promise.all(connections.map(({ done }) => done));
  return { startedAt, answeredAt: now(), sentAt: [] };
}

/**
 * Posts each lead at its own instant, whether or not the previous ones were answered; gaps are random, as with
 * visitors.
 */
async function postPaced({ url, path, headers, from, count }: PostsJob, perSecond: number): Promise<PostsResult> {
  using client = new HttpClient(url);
  const post = async (body: string) => {
    const response = await client.send({ method: 'POST', path, headers, body: Buffer.from(body) });
    if (response.status !== status) throw new Error(`Expected status ${status}, received ${response.status}.`);
  };
  const sentAt: number[] = [];
  const responses: Promise<void>[] = [];
  const startedAt = now();
  let due = startedAt;
  for (let i = 0; i < count; i++) {
    due -= (Math.log(1 - Math.random()) * 1_000) / perSecond;
    await pause(Math.max(0, due - now()));
    sentAt.push(now());
    responses.push(post(leadBody(from + i)));
  }
  await Promise.all(responses);
  return { startedAt, answeredAt: now(), sentAt };
}
