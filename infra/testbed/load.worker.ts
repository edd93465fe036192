import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from './quantile.ts';
import { Connection, type SentRequest } from './connection.ts';
import { type LoadJob, type LoadReply, type LoadRequest, type LoadResult, unique } from './load.ts';

process.on('message', (job: LoadJob) => {
  const answer = (reply: LoadReply) => process.send?.(reply);
  run(job).then(
    (result) => answer({ result }),
    (error: unknown) => answer({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.once('disconnect', () => process.exit());

async function run(job: LoadJob): Promise<LoadResult> {
  const { hostname: host, port } = new URL(job.url);
  const requests = job.requests.map((request) => senderOf(request, job));
  const latencies: number[] = [];
  let isMeasuring = false;
  let isOver = false;
  const next = () => (isOver ? undefined : requests[Math.floor(Math.random() * requests.length)]!());
  const onAnswer = (sentAt: number, now: number) => {
    if (isMeasuring) latencies.push(now - sentAt);
  };
  const options = { host, port: Number(port), next, onAnswer };
  const connections = Array.from({ length: job.connections }, () => new Connection(options));
  const done = Promise.all(connections.map((connection) => connection.done));
  const measured = (async () => {
    await pause(job.warmUpMs);
    isMeasuring = true;
    const cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    await pause(job.durationMs);
    const seconds = (performance.now() - startedAt) / 1_000;
    const cpu = process.cpuUsage(cpuBefore);
    isMeasuring = false;
    isOver = true;
    return { seconds, cpuShare: (cpu.user + cpu.system) / 1e6 / seconds };
  })();
  const [{ seconds, cpuShare }] = await Promise.all([measured, done]);
  latencies.sort((a, b) => a - b);
  const requestsPerSecond = latencies.length / seconds;
  return { requestsPerSecond, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99), cpuShare };
}

let sent = Date.now();

/** Every place that stands for something unique is given a number of its own, each time. */
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

function bytesOf({ method, path, body, headers: own }: LoadRequest, { url, headers }: LoadJob): Buffer {
  const json = body === undefined ? '' : JSON.stringify(body);
  const ofBody = json ? { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(json)) } : {};
  const all = { Host: new URL(url).host, ...headers, ...own, ...ofBody };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${json}`);
}
