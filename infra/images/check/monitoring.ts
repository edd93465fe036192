import { say } from '@relata/testbed/suite-program';
import { until } from '@relata/testbed/until';
import { filledIn, readDashboards, shownBy } from '../../generate/dashboards/read-dashboards.ts';
import { appNames } from '../../services.ts';
import type { ComposedService } from './composed-service.ts';
import { hasImage, type Stack } from './docker.ts';
import { checkGrafana } from './grafana.ts';

/** Time limit for Prometheus, which scrapes and evaluates every 15 s. */
const withinMs = 180_000;

/** Minimum share of expressions with values. The others count failures, which do not occur in such a short time. */
const withValuesMin = 0.85;

interface AppResponse {
  status: 'success' | 'error';
  error?: string;
  data?: { result?: { metric: Record<string, string>; value: [number, string] }[]; groups?: Group[] };
}

interface Group {
  rules: { name: string; health: string; state: string; lastError?: string }[];
}

/**
 * Starts the monitoring and checks it. Prometheus must reach every process, and evaluate every alert and every
 * expression of the dashboards. Grafana, if its image is available, must show every panel without an error.
 */
export async function checkMonitoring(stack: Stack, service: ComposedService): Promise<void> {
  const { prometheus, grafana } = imagesOf(stack);
  if (!hasImage(prometheus)) return say(`NOT CHECKED: the monitoring, because ${prometheus} is not available`);
  const hasGrafana = hasImage(grafana);
  stack.up(hasGrafana ? 'grafana' : 'prometheus');
  checkDashboards(stack);
  await until('Prometheus reaches every process', () => reachesAll(stack), withinMs);
  // Sends requests for longer than two scrapes, so that rates have values.
  const begun = Date.now();
  for (let round = 0; Date.now() < begun + 75_000; round++) await service.becomesContact(`load-${round}@x.example`);
  await until('every alert is evaluated', () => areRulesHealthy(stack), withinMs);
  checkExpressions(stack);
  if (hasGrafana) await checkGrafana();
  else say(`NOT CHECKED: the dashboards in Grafana, because ${grafana} is not available`);
}

/** Throws if the image does not copy the dashboards of this checkout to the folder from which Grafana reads them. */
function checkDashboards(stack: Stack): void {
  stack.compose(['run', '--rm', '--no-TTY', 'dashboards']);
  const list = ['run', '--rm', '--no-TTY', '--entrypoint', 'ls', 'dashboards', '/dashboards'];
  const found = stack.compose(list).trim().split('\n');
  const expected = readDashboards().map(({ file }) => `${file}.dashboard.json`);
  if (found.toSorted().join() !== expected.toSorted().join())
    throw new Error(`Expected the dashboards ${expected.join(', ')}, found ${found.join(', ')}`);
}

function imagesOf(stack: Stack): { prometheus: string; grafana: string } {
  const config = stack.compose(['--profile', 'monitoring', 'config', '--format', 'json']);
  const { services } = JSON.parse(config) as { services: Record<'prometheus' | 'grafana', { image: string }> };
  return { prometheus: services.prometheus.image, grafana: services.grafana.image };
}

/** Returns true if Prometheus reaches a process of each app, and two processes of the API that have served requests. */
function reachesAll(stack: Stack): boolean {
  const [up, served] = ask(stack, [
    'query?query=up',
    `query?query=${encodeURIComponent('http_request_duration_seconds_count{app="records-api"} > 0')}`,
  ]);
  const reached = (up?.data?.result ?? [])
    .filter(({ value }) => value[1] === '1')
    .map(({ metric }) => metric['instance']!);
  const apis = new Set((served?.data?.result ?? []).map(({ metric }) => metric['instance']));
  return appNames.every((app) => reached.some((instance) => instance.startsWith(`${app}/`))) && apis.size === 2;
}

function areRulesHealthy(stack: Stack): boolean {
  const [answer] = ask(stack, ['rules']);
  const rules = answer?.data?.groups?.flatMap((group) => group.rules) ?? [];
  const failed = rules.filter(({ health, state }) => health === 'err' || state === 'firing');
  if (failed.length > 0) throw new Error(`Alerts that fire or cannot be evaluated: ${JSON.stringify(failed)}`);
  return rules.length > 0 && rules.every(({ health }) => health === 'ok');
}

/** Throws if Prometheus cannot evaluate an expression of the dashboards, or has no values for too many of them. */
function checkExpressions(stack: Stack): void {
  const expressions = [
    ...new Set(
      readDashboards()
        .flatMap(shownBy)
        .map(({ expression }) => filledIn(expression)),
    ),
  ];
  const responses = ask(
    stack,
    expressions.map((expression) => `query?query=${encodeURIComponent(expression)}`),
  );
  const failed = responses.flatMap(({ error }, at) => (error === undefined ? [] : [`${expressions[at]}: ${error}`]));
  if (failed.length > 0) throw new Error(`Prometheus cannot evaluate these expressions:\n${failed.join('\n')}`);
  const empty = expressions.filter((_, at) => responses[at]?.data?.result?.length === 0);
  const withValues = expressions.length - empty.length;
  say(`${withValues} of ${expressions.length} expressions of the dashboards have values`);
  if (withValues < withValuesMin * expressions.length)
    throw new Error(`Too many expressions have no values:\n${empty.join('\n')}`);
}

/** Queries Prometheus from a container, because its port is not published. */
function ask(stack: Stack, paths: readonly string[]): AppResponse[] {
  const lines = `
    import { json } from 'node:stream/consumers';
    const paths = await json(process.stdin);
    const answers = [];
    for (const path of paths) answers.push(await (await fetch('http://prometheus:9090/api/v1/' + path)).json());
    console.log(JSON.stringify(answers));`;
  return JSON.parse(stack.node(lines, JSON.stringify(paths))) as AppResponse[];
}
