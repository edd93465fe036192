import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeEnvironment, type Service } from '@relata/service';
import { createTestDatabase, natsUrl, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { paths } from './local/paths.ts';
import { metricNames } from './prometheus/metric-names.ts';
import { type AppName, entryOf, services } from './services.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db[Symbol.asyncDispose]());

/** What Prometheus adds by itself. */
const ofPrometheus = ['up'];

const expressionsIn = async (name: string, pattern: RegExp) => {
  const text = await readFile(join(import.meta.dirname, 'prometheus', name), 'utf8');
  return [...text.matchAll(pattern)].map(([, expression]) => expression!.replaceAll(String.raw`\"`, '"'));
};

/** The names of what an app serves at /metrics: a histogram has three. */
async function exposedBy(service: Service & { name: AppName }): Promise<string[]> {
  const child = fork(entryOf(service.name), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [...service.nodeOptions],
    env: {
      ...nodeEnvironment(paths.compiled),
      PATH: process.env['PATH'],
      DATABASE_URL: db.url,
      NATS_URL: natsUrl(),
      PORT: '0',
      METRICS_PORT: '0',
    },
  });
  const ended = once(child, 'close');
  try {
    const [{ metricsUrl }] = (await once(child, 'message')) as [{ metricsUrl: string }];
    const text = await (await fetch(metricsUrl)).text();
    return [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name!],
    );
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

test('every metric that alerts and the dashboard name is exposed by an app', { timeout: 240_000 }, async () => {
  const exposed = new Set(ofPrometheus);
  for (const service of services) for (const name of await exposedBy(service)) exposed.add(name);
  const alerting = await expressionsIn('relata.rules.yml', /^ {8}expr: (.+)$/gm);
  const shown = await expressionsIn('relata.dashboard.json', /"expr": "((?:[^"\\]|\\.)+)"/g);
  expect([alerting.length > 10, shown.length > 10]).toEqual([true, true]);
  const unknown = [...alerting, ...shown].flatMap(metricNames).filter((name) => !exposed.has(name));
  expect(unknown).toEqual([]);
});
