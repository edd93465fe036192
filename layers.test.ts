import { glob, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** Layers of packages. A package may import packages of the layers before its own. */
const layers = [
  ['telemetry'],
  ['schemas', 'runtime', 'embedded'],
  ['db', 'messaging', 'knowledge', 'expressions', 'outbound', 'signatures'],
  ['events'],
  ['auth', 'secrets'],
  ['records', 'channel'],
  ['workflows'],
  ['demo', 'demo-requests', 'notify', 'people', 'diagnosis'],
  ['http', 'service'],
  ['testing', 'bundle'],
];
const rank = new Map<string, number>(
  layers.flatMap((names, row) => names.map((name) => [`@relata/${name}`, row] as const)),
);

/** Owners of libraries: only the owner imports a library, so that the library can be replaced in one place. */
const owners: Record<string, RegExp> = {
  knex: /^packages\/db\//,
  pg: /^(packages\/db|bench)\//,
  '@nats-io/transport-node': /^packages\/messaging\//,
  '@nats-io/jetstream': /^packages\/messaging\//,
  '@marcbachmann/cel-js': /^packages\/expressions\//,
  express: /^(packages\/http|bench|apps\/[a-z-]+\/src\/([a-z-]+\/)*[a-z-]+\.routes?\.)/,
  pino: /^packages\/runtime\//,
  '@opentelemetry/api': /^packages\/telemetry\//,
  '@opentelemetry/exporter-trace-otlp-proto': /^packages\/telemetry\//,
  '@opentelemetry/resources': /^packages\/telemetry\//,
  '@opentelemetry/sdk-trace': /^packages\/telemetry\//,
  'prom-client': /^packages\/runtime\//,
  commander: /^apps\/cli\//,
  ai: /^(apps\/chat-gateway|examples|bench)\//,
  '@ai-sdk/openai': /^(apps\/chat-gateway|bench)\//,
  '@ai-sdk/provider': /^apps\/chat-gateway\//,
  minisearch: /^(packages\/knowledge|apps\/docs-web)\//,
  stemmer: /^packages\/knowledge\//,
  yaml: /^(packages\/knowledge|infra\/generate\/(kubernetes|dashboards))\//,
  preact: /^apps\/chat-widget\//,
  marked: /^(apps\/chat-widget\/|apps\/docs-web\/|infra\/local\/|packages\/knowledge\/)/,
  '@base-ui/react': /^apps\/console-web\//,
  '@tanstack/react-query': /^apps\/console-web\//,
  '@tanstack/react-router': /^apps\/console-web\//,
  '@tanstack/react-virtual': /^apps\/console-web\//,
  'lucide-react': /^apps\/console-web\//,
  react: /^(apps\/console-web|examples)\//,
  rolldown: /^(packages\/bundle|apps\/chat-widget|apps\/docs-web|examples)\//,
  vite: /^apps\/console-web\/build\.ts$/,
};

/**
 * Roles of files. A role is the part of a file name before the extension, like `sql` in `accounts.sql.ts`. Adding a
 * role needs a decision.
 */
const roles =
  'sql table rules operations handler route step schema error settings metrics format page view test harness bench worker';

interface Import {
  file: string;
  from: string;
}

async function importsOf(folder: string): Promise<Import[]> {
  const files = await Array.fromAsync(glob(`${folder}/**/*.{ts,tsx,mjs}`, { exclude: ['**/node_modules/**'] }));
  return (await Promise.all(files.map(importsOfFile))).flat();
}

async function importsOfFile(file: string): Promise<Import[]> {
  const source = await readFile(file, 'utf8');
  return [...source.matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, from]) => ({ file, from: from! }));
}

const imports = (await Promise.all(['packages', 'apps', 'examples', 'infra', 'bench'].map(importsOf))).flat();
const isTest = (file: string) => /\.(test|harness|setup|arbitrary)\.tsx?$/.test(file);

test('a package imports only from the layers before it', () => {
  const wrong = imports.filter(({ file, from }) => {
    const own = rank.get(`@relata/${file.split('/')[1]}`);
    const imported = rank.get(from.split('/').slice(0, 2).join('/'));
    return file.startsWith('packages/') && !isTest(file) && imported !== undefined && imported >= own!;
  });
  expect(wrong).toEqual([]);
});

test('a file name has words with hyphens, then possibly a known role, and `.test` if it has tests', async () => {
  const files = await Array.fromAsync(
    glob('{apps,packages,infra,bench,examples}/**/*.{ts,tsx,mjs}', { exclude: ['**/node_modules/**', '**/dist/**'] }),
  );
  const named = new RegExp(`^[a-z0-9-]+(\\.(${roles.replaceAll(' ', '|')}))?(\\.test)?\\.(tsx?|mjs)$`);
  const wrong = files.filter((file) => !file.endsWith('.d.ts') && !named.test(basename(file)));
  expect(files.length).toBeGreaterThan(500);
  expect(wrong).toEqual([]);
});

test('every package is in a layer', async () => {
  const names = (await readdir('packages')).map((name) => `@relata/${name}`);
  expect([...rank.keys()].toSorted()).toEqual(names.toSorted());
});

test('apps never import each other', () => {
  const apps = /^@relata\/(records-api|chat-gateway|chat-widget|console|webhook-ingest|workflow-worker|cli)/;
  expect(
    imports.filter(({ file, from }) => file.startsWith('apps/') && (apps.test(from) || from.includes('/apps/'))),
  ).toEqual([]);
});

test('no files import each other in a cycle, not even types', () => {
  const own = imports.filter(({ from }) => from.startsWith('.'));
  const left = new Map(
    [...Map.groupBy(own, ({ file }) => file)].map(
      ([file, all]) => [file, all.map(({ from }) => join(dirname(file), from))] as const,
    ),
  );
  // A file that imports no remaining file is in no cycle.
  for (let before = Infinity; left.size < before;) {
    before = left.size;
    for (const [file, imported] of left) if (!imported.some((other) => left.has(other))) left.delete(file);
  }
  expect([...left.keys()]).toEqual([]);
});

test('shipped code imports nothing that is only for tests', () => {
  const shipped = imports.filter(
    ({ file }) => /^(packages|apps)\//.test(file) && !isTest(file) && !file.startsWith('packages/testing/'),
  );
  expect(shipped.filter(({ from }) => from.startsWith('@relata/testing') || from === 'vitest')).toEqual([]);
});

/** Folders of suites. Suites share no code with each other, except `infra/testbed`. */
const suites =
  /^(bench|infra\/(backup|chaos|fuzz|images|kubernetes|neighbours|prometheus|rolling|telemetry|testbed))\//;

test('no suite imports from another suite, or from the sources of a package, by a relative path', () => {
  const wrong = imports.filter(({ file, from }) => {
    const own = suites.exec(file)?.[0];
    if (own === undefined || !from.startsWith('.')) return false;
    const imported = join(dirname(file), from);
    return !imported.startsWith(own) && (suites.test(imported) || /^(apps|packages)\//.test(imported));
  });
  expect(wrong).toEqual([]);
});

test('only the owner of a library imports it', () => {
  const wrong = imports.filter(({ file, from }) => owners[from] && !owners[from].test(file) && !isTest(file));
  expect(wrong).toEqual([]);
});

test('of the shipped code, only packages/runtime and a few named files read the environment', async () => {
  const files = [...new Set(imports.map(({ file }) => file))].filter(
    (file) => /^(packages|apps)\//.test(file) && !isTest(file),
  );
  const readers = await Promise.all(
    files.map(async (file) => ((await readFile(file, 'utf8')).includes('process.env') ? [file] : [])),
  );
  expect(
    readers
      .flat()
      .filter(
        (file) =>
          !/^packages\/(runtime|embedded|testing|schemas\/src\/description\/code-samples\.ts$)|^apps\/(cli\/|console-web\/build\.ts$)/.test(
            file,
          ),
      ),
  ).toEqual([]);
});

test('in the console, only one module sends requests, one formats times, and none inserts HTML', async () => {
  const files = await Array.fromAsync(glob('apps/console-web/src/**/*.{ts,tsx}'));
  const ways: readonly (readonly [what: RegExp, where: RegExp])[] = [
    [/\bfetch\(|XMLHttpRequest|EventSource/, /\/src\/api\//],
    [
      /Intl\.DateTimeFormat|Intl\.RelativeTimeFormat|\.toLocale\w*\(|\.toDateString\(/,
      /\/ui\/data\/(relative-)?time\.tsx?$/,
    ],
    [/dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML/, /^$/],
    // Received data never becomes an address: links outside the router lead only to our own operations and docs.
    [/\bhref=\{/, /\/ui\/controls\/(?:button|docs-link)\.tsx$/],
    // The console imports only modules of packages that load nothing else.
    [/from '@relata\/(?!testing|schemas\/(?:count-text|document-url|form-body|parts-of-signs|idle-periods)')/, /^$/],
  ];
  const wrong = await Promise.all(
    files
      .filter((file) => !isTest(file))
      .map(async (file) => {
        // Imports of types are not part of the code that a browser loads.
        const source = (await readFile(file, 'utf8')).replaceAll(/^(?:import|export) type [^;]*;/gm, '');
        return ways.flatMap(([what, where]) => (what.test(source) && !where.test(file) ? [`${file}: ${what}`] : []));
      }),
  );
  expect(files.length).toBeGreaterThan(80);
  expect(wrong.flat()).toEqual([]);
});

/**
 * Matches code that formats, sorts or compares by a locale. Node then loads the data of all locales: 7 MB of memory.
 */
const byLocale = /\bIntl\.|\.toLocale(Date|Time)?String\(|\.localeCompare\(/;

test('no server uses a locale except the chat, which needs country names and sentence boundaries', async () => {
  const files = await Array.fromAsync(glob('{packages,apps}/*/src/**/*.ts', { exclude: ['**/node_modules/**'] }));
  const elsewhere =
    /^(apps\/(cli|console-web|chat-widget|chat-gateway\/src\/built-in)|packages\/(bundle|testing|embedded))\//;
  const servers = files.filter((file) => !isTest(file) && !elsewhere.test(file));
  const sources = await Promise.all(servers.map(async (file) => ({ file, source: await readFile(file, 'utf8') })));
  expect(sources.filter(({ source }) => byLocale.test(source)).map(({ file }) => file)).toEqual([]);
});
