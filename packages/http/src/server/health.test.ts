import { createLog, createMetrics } from '@relata/runtime';
import { until } from '@relata/testing';
import { expect, test } from 'vitest';
import { addHealth } from './health.ts';
import { ShutdownState, serve } from './server.ts';
import { addPage, createServiceApp } from './service-app.ts';

interface Line {
  level: number;
  method: string;
  path: string;
  status: number;
}

/** Returns the lines that an app with health checks logs for these requests, at this level. */
async function linesOf(level: string, requests: readonly string[], check = () => Promise.resolve()): Promise<Line[]> {
  const lines: Line[] = [];
  const log = createLog({ name: 'test', level, destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const draining = new ShutdownState();
  const app = createServiceApp({ log, metrics: createMetrics('test'), draining }, (routes) => {
    addHealth(routes, { draining, check });
    addPage(routes, '/page', (_request, response) => void response.end());
  });
  await using server = await serve(app, { host: '127.0.0.1', port: 0, draining, drainMs: 1 });
  for (const request of requests) {
    const [method = '', path] = request.split(' ');
    await (await fetch(`${server.url}${path}`, { method })).arrayBuffer();
  }
  await until(() => expect(lines.at(-1)?.path).toBe(requests.at(-1)!.split(' ')[1]));
  return lines;
}

const checks = ['GET /health/live', 'HEAD /health/live', 'GET /health/ready'];

test('at level info, health checks leave no line in the log, but other requests do', async () => {
  expect(await linesOf('info', [...checks, 'GET /page'])).toEqual([
    expect.objectContaining({ level: 'info', path: '/page' }),
  ]);
});

test('at level debug, each health check has its line, whatever its answer', async () => {
  const lines = await linesOf('debug', checks, () => Promise.reject(new Error('away')));
  expect(lines.map(({ level, method, path, status }) => [level, `${method} ${path}`, status])).toEqual([
    ['debug', 'GET /health/live', 200],
    ['debug', 'HEAD /health/live', 200],
    ['debug', 'GET /health/ready', 503],
  ]);
});
