import { setTimeout as pause } from 'node:timers/promises';
import { latencyOf } from './quantile.ts';
import { PlainConnection, requestBytes, type SentRequest } from './connection.ts';
import { serveJobs, watchOwnCpu } from './serve-jobs.ts';
import { type LoadJob, type LoadRequest, type LoadResult, unique } from './load.ts';

serveJobs(run);

async function run(job: LoadJob): Promise<LoadResult> {
  const requests = job.requests.map((request) => senderOf(request, job));
  const latencies: number[] = [];
  let isMeasuring = false;
  let isOver = false;
  let taken = 0;
  const place = () => (job.isOnce ? taken++ : Math.floor(Math.random() * requests.length));
  const next = () => (isOver ? undefined : requests[place()]?.());
  const onResponse = (sentAt: number, now: number) => {
    if (isMeasuring) latencies.push(now - sentAt);
  };
  const connections = Array.from({ length: job.connections }, () => {
    return new PlainConnection({ url: job.url, next }, onResponse);
  });
  await Promise.all(connections.map(({ connected }) => connected));
  for (const connection of connections) connection.start();
  const done = Promise.all(connections.map((connection) => connection.done));
  const measured = (async () => {
    await pause(job.warmUpMs);
    isMeasuring = true;
    const used = watchOwnCpu();
    await Promise.race([pause(job.durationMs), done]);
    const { seconds, cpuShare } = used();
    isMeasuring = false;
    isOver = true;
    return { seconds, cpuShare };
  })();
  const [{ seconds, cpuShare }] = await Promise.all([measured, done]);
  return { requestsPerSecond: latencies.length / seconds, ...latencyOf(latencies), cpuShare };
}

let sent = Date.now();

/** Returns a function that makes a request in which each placeholder `unique` is replaced by a new number. */
function senderOf(request: LoadRequest, job: LoadJob): () => SentRequest {
  const bytes = bytesOf(request, job);
  const status = request.status ?? job.status;
  const places: number[] = [];
  for (let at = bytes.indexOf(unique); at >= 0; at = bytes.indexOf(unique, at + 1)) places.push(at);
  if (places.length === 0) return () => ({ bytes, status });
  return () => {
    const copy = Buffer.from(bytes);
    for (const at of places) copy.write((++sent).toString(36).slice(-unique.length).padStart(unique.length, '0'), at);
    return { bytes: copy, status };
  };
}

function bytesOf({ method, path, body, headers }: LoadRequest, job: LoadJob): Buffer {
  const json = body === undefined ? '' : JSON.stringify(body);
  return requestBytes(job.url, method, path, { ...job.headers, ...headers }, json);
}
