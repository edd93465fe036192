import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { nodeEnvironment } from '@relata/service';
import { createTestDatabase, natsUrl, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { paths } from './local/paths.ts';
import { render } from './kubernetes/render.harness.ts';
import { type AppName, entryOf, services } from './services.ts';

let db: TestDatabase;

beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db[Symbol.asyncDispose]());

/** The required settings, and free ports: another program may use the default ones. */
const given = () => ({ DATABASE_URL: db.url, NATS_URL: natsUrl(), PORT: '0', METRICS_PORT: '0' });

interface Ready {
  url: string;
  metricsUrl: string;
}

/** What the probes of the app's pod, and who reads its metrics, are answered by the process. */
async function probesOf(name: AppName, { url, metricsUrl }: Ready): Promise<number[]> {
  const objects = await render(join(import.meta.dirname, 'kubernetes/overlays/large'));
  const find = (kind: string) => objects.find((object) => object['kind'] === kind && object['metadata'].name === name)!;
  const { startupProbe, livenessProbe, readinessProbe } = find('Deployment')['spec'].template.spec.containers[0];
  const probes = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => new URL(httpGet.path, url));
  const metrics = find('PodMonitor')['spec'].podMetricsEndpoints[0].path;
  const answers = await Promise.all([...probes, new URL(metrics, metricsUrl)].map((address) => fetch(address)));
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  return answers.map(({ status }) => status);
}

test.each(services)(
  '$name starts with all its other settings empty, and stops in order',
  { timeout: 60_000 },
  async (service) => {
    const empty = Object.fromEntries(Object.keys(service.settings).map((setting) => [setting, '']));
    const child = fork(entryOf(service.name), {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      execArgv: [...service.nodeOptions],
      env: { ...empty, ...given(), ...nodeEnvironment(paths.compiled), PATH: process.env['PATH'] },
    });
    let said = '';
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    const ended = once(child, 'close');
    const [ready] = (await Promise.race([once(child, 'message'), ended.then(() => [said])])) as [unknown];
    const probed = await probesOf(service.name, ready as Ready);
    child.kill('SIGTERM');
    expect(ready).toMatchObject({ type: 'ready', url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
    expect(probed).toEqual([200, 200, 200, 200]);
    expect(await ended).toEqual([0, null]);
    expect(said).toContain('"stopped"');
  },
);
