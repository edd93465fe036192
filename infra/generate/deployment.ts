import { readFileSync } from 'node:fs';
import { nodeOptions } from '@relata/service';
import { patternOf, routes } from '../local/gateway/routes.ts';
import { bundleIn, services } from '../services.ts';
import { environmentOf, sharedEnvironment } from './compose-settings.ts';
import { memoryMbOf, usualMb } from './memory.ts';
import { fillRegion } from './region.ts';

/** Fills in the routes of the proxy of Compose. They are the routes of the gateway of `npm start`. */
export function caddyfile(present: string): string {
  const others = routes.slice(0, -1).map(({ prefix, app }) => `~${patternOf(prefix)} ${app}`);
  return fillRegion(present, 'routes', [...others, `default ${routes.at(-1)!.app}`]);
}

type App = (typeof services)[number];

/**
 * Fills in the image, the settings of all apps, the usual limits, and the command of the operator's tool. For each app
 * it fills in the bundle, the memory and the settings.
 */
export function composeFile(present: string): string {
  const set = fillRegion(present, 'settings', sharedEnvironment());
  const limited = fillRegion(set, 'limits', [limitsOf(usualMb)]);
  const named = fillRegion(limited, 'image', [`image: \${RELATA_IMAGE:-relata:${version}}`]);
  const tool = ['entrypoint:', ...['node', ...nodeOptions, bundleIn('cli')].map((part) => `  - ${part}`)];
  const withTool = fillRegion(named, 'relata', [...tool, 'command: []']);
  return services.reduce((text, service) => fillRegion(text, service.name, startIn(service)), withTool);
}

/** Returns Compose's `prometheus.yml` with the DNS names of all apps as scrape targets. */
export function prometheusFile(present: string): string {
  return fillRegion(present, 'apps', [`names: [${services.map(({ name }) => name).join(', ')}]`]);
}

/** Fills in an alert for each app. It fires if Prometheus has not scraped any process of the app for a while. */
export function alertRules(present: string): string {
  const rules = services.flatMap(({ name }) => [
    '- alert: RelataAppMissing',
    `  expr: absent(relata_info{app="${name}"})`,
    '  for: 5m',
    // promtool reports rules with the same name and labels as duplicates.
    `  labels: { severity: page, app: ${name} }`,
    `  annotations: { summary: 'No process of {{ $labels.app }} is running.' }`,
  ]);
  return fillRegion(present, 'missing', rules);
}

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Returns the name of the setting for the number of processes of an app, such as `RECORDS_API_REPLICAS`. */
const replicasOf = (name: string) => `${name.toUpperCase().replaceAll('-', '_')}_REPLICAS`;

const limitsOf = (memoryMb: number) => `limits: { cpus: '1', memory: ${memoryMb}M, pids: 128 }`;

function startIn(app: App): string[] {
  const { name } = app;
  const memoryMb = memoryMbOf(name);
  return [
    `command: [${bundleIn(name)}]`,
    'deploy:',
    `  replicas: \${${replicasOf(name)}:-1}`,
    `  resources: { ${limitsOf(memoryMb)} }`,
    ...environmentOf(app),
  ];
}

/**
 * Fills in Node's flags of the image. Also fills in commands that start each app once with these flags, to prove
 * that the image is complete.
 */
export function dockerfile(present: string): string {
  const flags = nodeOptions.join(' ');
  const proofs = services.map(({ name }) => `    proved ${flags} ${bundleIn(name)} && \\`);
  const proof = [
    `RUN proved() { node "$@" 2>&1 | grep 'DATABASE_URL: is required'; } && \\`,
    ...proofs,
    `    node ${flags} ${bundleIn('cli')} --help >/dev/null`,
  ];
  const entrypoint = ['node', ...nodeOptions].map((part) => JSON.stringify(part)).join(', ');
  return fillRegion(fillRegion(present, 'proof', proof), 'entrypoint', [`ENTRYPOINT [${entrypoint}]`]);
}
