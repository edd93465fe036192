import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeEnvironment, nodeOptions, type Service } from '@relata/service';
import { compiledDir } from '@relata/testbed/places';
import { type Program, startProgram } from '@relata/testbed/program';
import { openFolder } from '@relata/testbed/servers';
import { natsUrl } from '@relata/testing';
import { render } from './kubernetes/render.harness.ts';
import type { AppName } from './services.ts';

/** Results of an app that was started, received some requests, and was stopped. */
export interface StartedApp {
  name: AppName;
  /** Message by which the app reported that it is ready. */
  ready: Program;
  /** Statuses of the answers to the probes of Kubernetes, and to a scrape of the metrics. */
  probed: number[];
  metrics: string;
  /** Status of the answer to the client's request. */
  answered: number;
  ended: unknown[];
  said: string;
}

export interface StartOnceOptions {
  databaseUrl: string;
  file: string;
  request: { path: string; init?: RequestInit };
}

/**
 * Starts an app with only the required settings, sends the requests of Kubernetes, Prometheus and a client, and stops
 * it.
 */
export async function startOnce(
  service: Service & { name: AppName },
  { databaseUrl, file, request }: StartOnceOptions,
): Promise<StartedApp> {
  const empty = Object.fromEntries(Object.keys(service.settings).map((setting) => [setting, '']));
  // The app chooses free ports, because another program may use the default ones.
  const given = { DATABASE_URL: databaseUrl, NATS_URL: natsUrl(), PORT: '0', METRICS_PORT: '0' };
  const preload = new URL('./telemetry/loaded-preload.ts', import.meta.url).href;
  await using stack = new AsyncDisposableStack();
  const logFile = join(await openFolder(stack, 'started'), 'app.log');
  const ready = await startProgram({
    name: service.name,
    file,
    logFile,
    nodeOptions: [...nodeOptions, `--import=${preload}`],
    env: { ...empty, ...given, ...nodeEnvironment(compiledDir) },
  });
  stack.use(ready);
  const seen = await askProbes(service.name, ready);
  const response = await fetch(new URL(request.path, ready.url), request.init);
  await response.text();
  await ready.stop();
  const { code, signal } = await ready.exited;
  const said = await readFile(logFile, 'utf8');
  return { name: service.name, ready, ...seen, answered: response.status, ended: [code, signal], said };
}

async function askProbes(name: AppName, { url, metricsUrl }: Program): Promise<{ probed: number[]; metrics: string }> {
  const objects = await render(join(import.meta.dirname, 'kubernetes/overlays/large'));
  const find = (kind: string) => objects.find((object) => object['kind'] === kind && object['metadata'].name === name)!;
  const { startupProbe, livenessProbe, readinessProbe } = find('Deployment')['spec'].template.spec.containers[0];
  const probes = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => new URL(httpGet.path, url));
  const metrics = find('PodMonitor')['spec'].podMetricsEndpoints[0].path;
  const responses = await Promise.all([...probes, new URL(metrics, metricsUrl)].map((address) => fetch(address)));
  const texts = await Promise.all(responses.map((response) => response.text()));
  return { probed: responses.map(({ status }) => status), metrics: texts.at(-1)! };
}
