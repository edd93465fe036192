import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { nodeEnvironment, nodeOptions } from '@relata/service';
import { expect, test } from 'vitest';
import { appFor, routes } from '../local/gateway/routes.ts';
import { services } from '../services.ts';

const root = resolve(import.meta.dirname, '..', '..');
const read = (path: string) => readFile(join(root, path), 'utf8');

const dockerfile = await read('infra/images/Dockerfile');
const compose = await read('infra/compose/compose.yaml');
const caddyfile = await read('infra/compose/Caddyfile');

test('the image has the same Node version as npm start', async () => {
  const [, version] = /^ {2}node: (\S+)$/m.exec(await read('pnpm-workspace.yaml')) ?? [];
  expect(dockerfile).toContain(`ARG NODE_IMAGE=node:${version}-slim\n`);
  expect(compose).toContain(`      NODE_IMAGE: \${NODE_IMAGE:-node:${version}-slim}\n`);
});

test('every image has the tag of an exact version, and can be pinned by its digest', () => {
  const others = [...compose.matchAll(/^ {4}image: (.*)$/gm)].map(([, image]) => image);
  expect(others).toEqual(
    Array.from({ length: 5 }, () => expect.stringMatching(/^\$\{[A-Z]+_IMAGE:-[a-z/]+:v?\d[\d.]+(-\w+)?\}$/)),
  );
  expect(compose).toMatch(/image: \$\{CADDY_IMAGE:-caddy:\d+\.\d+\.\d+-alpine\}/);
  expect(compose).toMatch(/image: \$\{NATS_IMAGE:-nats:\d+\.\d+\.\d+-alpine\}/);
  expect(compose).toMatch(/image: \$\{POSTGRES_IMAGE:-postgres:\d+\.\d+\}/);
  expect(compose).toMatch(/image: \$\{PROMETHEUS_IMAGE:-prom\/prometheus:v\d+\.\d+\.\d+\}/);
  expect(compose).toMatch(/image: \$\{GRAFANA_IMAGE:-grafana\/grafana:\d+\.\d+\.\d+\}/);
  const bases = dockerfile.match(/^FROM .*/gm)!.map((line) => line.replace(/ AS .*/, ''));
  expect(new Set(bases)).toEqual(new Set(['FROM ${NODE_IMAGE}', 'FROM bundles', 'FROM ${POSTGRES_IMAGE}']));
});

test('pg_dump in the image has the same version as PostgreSQL in Compose (found D1)', () => {
  const [, server] = /image: (\$\{POSTGRES_IMAGE:-.*\})/.exec(compose) ?? [];
  expect(compose).toContain(`        POSTGRES_IMAGE: ${server}\n`);
  expect(dockerfile).toContain(`ARG POSTGRES_IMAGE=${server!.slice('${POSTGRES_IMAGE:-'.length, -1)}\n`);
});

test('all apps in Compose use one image, which is named by its release and built once (found D3)', async () => {
  const { version } = JSON.parse(await read('package.json')) as { version: string };
  const own = [...compose.matchAll(/image: (\$\{RELATA_IMAGE.*)$/gm)].map(([, image]) => image);
  expect(own).toEqual([`\${RELATA_IMAGE:-relata:${version}}`]);
  expect(compose.match(/^ +build:$/gm)).toEqual(['    build:']);
  expect(composedOf('migrate')).toContain('    build:\n');
});

test('all services in Compose connect to the database POSTGRES_DB (found D1)', () => {
  const addresses = compose.match(/postgres:\/\/.*$/gm)!;
  expect(addresses.length).toBe(2);
  expect(addresses.filter((url) => !url.endsWith('@postgres:5432/${POSTGRES_DB:-relata}'))).toEqual([]);
});

test('a switch to another database does not change the PostgreSQL service, so Compose does not restart it', () => {
  expect(composedOf('postgres')).toContain('      POSTGRES_DB: relata\n');
  expect(composedOf('postgres')).not.toContain('${POSTGRES_DB');
});

test('in Compose, backups wait for the tables, and hints show commands as they are typed (found D1, D4)', () => {
  expect(composedOf('backup')).toContain('      migrate:\n        condition: service_completed_successfully\n');
  expect(composedOf('relata')).toContain('      RELATA_COMMAND: docker compose run --rm relata\n');
});

test('Compose has a setting for the number of processes of each app (found D3)', async () => {
  const example = await read('infra/compose/.env.example');
  for (const { name } of services) {
    const setting = `${name.toUpperCase().replaceAll('-', '_')}_REPLICAS`;
    expect(composedOf(name)).toContain(`      replicas: \${${setting}:-1}\n`);
    expect(example).toContain(`# ${setting}=1\n`);
  }
});

test('every setting of Compose is in .env.example (found D1, D3, D8)', async () => {
  const example = await read('infra/compose/.env.example');
  const settings = [...new Set([...compose.matchAll(/\$\{(\w+)/g)].map(([, name]) => name!))];
  const pinned = /_IMAGE$/;
  expect(settings.filter((name) => !pinned.test(name) && !example.includes(`${name}=`))).toEqual([]);
});

test('Prometheus in Compose scrapes every app and loads the alerts (found D8)', async () => {
  const config = await read('infra/compose/monitoring/prometheus.yml');
  expect(config).toContain(`        names: [${services.map(({ name }) => name).join(', ')}]\n`);
  expect(config).toContain('rule_files: [relata.rules.yml]\n');
  expect(config).toContain('  - job_name: relata\n');
  expect(composedOf('prometheus')).toContain('- ../prometheus/relata.rules.yml:/etc/prometheus/relata.rules.yml:ro\n');
});

test('the image has the labels of this release', async () => {
  const { version, license } = JSON.parse(await read('package.json')) as { version: string; license: string };
  const labels = Object.fromEntries(
    [...dockerfile.matchAll(/org\.opencontainers\.image\.([\w.]+)="(.*)"/g)].map(([, label, value]) => [label, value]),
  );
  expect(labels).toMatchObject({ title: 'Relata', licenses: license, version: '${VERSION}', revision: '${REVISION}' });
  expect(labels).toMatchObject({ created: '${CREATED}', 'base.name': '${NODE_IMAGE}' });
  expect(dockerfile).toContain(`ARG VERSION=${version}\n`);
});

test('pin.sh prints each image with its digest, and fails if an image has none', async () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const pinned = await runPin(`echo ${digest}`);
  const names = [
    'NODE_IMAGE=node:',
    'CADDY_IMAGE=caddy:',
    'POSTGRES_IMAGE=postgres:',
    'NATS_IMAGE=nats:',
    'PROMETHEUS_IMAGE=prom/prometheus:',
    'GRAFANA_IMAGE=grafana/grafana:',
  ];
  expect(pinned.stdout.trim().split('\n')).toEqual(
    names.map((name) => expect.stringMatching(new RegExp(`^${name}[\\w.-]+@${digest}$`))),
  );
  expect(await runPin('echo nothing')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('no digest of node:'),
  });
  expect(await runPin('exit 3')).toMatchObject({ status: 3 });
});

/** Runs `pin.sh` with a `docker` that executes only these lines. */
async function runPin(docker: string) {
  const bin = await mkdtemp(join(tmpdir(), 'relata-pin-'));
  await writeFile(join(bin, 'docker'), `#!/bin/sh\n${docker}\n`, { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env['PATH']}` };
  const { status, stdout, stderr } = spawnSync(join(root, 'infra/images/pin.sh'), { env, encoding: 'utf8' });
  await rm(bin, { recursive: true });
  return { status, stdout, stderr };
}

test('without a Docker engine, the check of the image says that it checked nothing', () => {
  const env = { PATH: '/nowhere' };
  const checked = spawnSync(process.execPath, [join(root, 'infra/images/check/main.ts')], { env, encoding: 'utf8' });
  expect(checked).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('No Docker engine answers: the image was not checked.'),
  });
});

test('in Compose, the apps have their own role, only tools use that of the owner, and NATS needs a token', async () => {
  const [, environment = ''] = /\nx-environment: &environment\n([^]*?)\n\n/.exec(compose) ?? [];
  expect(environment).toContain('DATABASE_URL: postgres://relata_app:${POSTGRES_APP_PASSWORD:?set it in .env}@');
  expect(environment).toContain('NATS_URL: nats://${NATS_TOKEN:?set it in .env}@nats:4222');
  const [, tool = ''] = /\nx-tool: &tool\n([^]*?)\n\n/.exec(compose) ?? [];
  expect(tool).toContain('DATABASE_MIGRATION_URL: postgres://relata:');
  expect(compose.split('postgres://relata:').length).toBe(2);
  const tools = [...compose.matchAll(/\n {2}(\S+):\n {4}<<: \*tool\n/g)].map(([, name]) => name);
  expect(tools).toEqual(['migrate', 'relata', 'backup']);
  const example = await read('infra/compose/.env.example');
  const asked = [...new Set([...compose.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name))];
  expect(asked.filter((name) => !example.includes(`\n${name}=\n`))).toEqual([]);
});

test('Compose creates both roles with the database, and removes the password of the superuser', async () => {
  expect(compose).toContain('- ./roles.sql:/docker-entrypoint-initdb.d/roles.sql:ro\n');
  const roles = await read('infra/compose/roles.sql');
  for (const [, variable] of roles.matchAll(/^\\getenv \w+ (\w+)$/gm))
    expect(compose).toContain(`      ${variable}: \${`);
  expect(roles.match(/^CREATE ROLE (\w+) LOGIN/gm)).toEqual([
    'CREATE ROLE relata LOGIN',
    'CREATE ROLE relata_app LOGIN',
  ]);
  expect(roles).toMatch(/^ALTER ROLE postgres PASSWORD NULL;$/m);
});

test('the image starts Node with the same options as npm start', () => {
  expect(dockerfile).toContain(`ENTRYPOINT ${JSON.stringify(['node', ...nodeOptions]).replaceAll(',', ', ')}\n`);
  const [, cacheDir = ''] = /NODE_COMPILE_CACHE=(\S+)/.exec(dockerfile) ?? [];
  for (const [name, value] of Object.entries(nodeEnvironment(cacheDir)))
    expect(dockerfile).toContain(`${name}=${value}`);
  // The cache of compiled code works only with the same flags.
  const starts = [...dockerfile.matchAll(/(?:node|proved) (--\S+(?: --\S+)*) dist\/([a-z-]+)\.mjs/g)];
  const flags = nodeOptions.join(' ');
  expect(starts.map(([, ...started]) => started)).toEqual([
    ...services.map(({ name }) => [flags, name]),
    [flags, 'cli'],
  ]);
});

/** Returns the entry of an app in the Compose file. */
function composedOf(name: string): string {
  return new RegExp(`\\n  ${name}:\\n([^]*?)\\n\\n`).exec(compose)?.[1] ?? '';
}

test('the build of the image starts every app once', () => {
  const proved = [...dockerfile.matchAll(/^ +proved .* dist\/(\S+)\.mjs && \\$/gm)].map(([, app = '']) => app);
  expect(dockerfile).toContain(`RUN proved() { node "$@" 2>&1 | grep 'DATABASE_URL: is required'; } && \\\n`);
  expect(proved.toSorted()).toEqual(services.map(({ name }) => name).toSorted());
});

test('the image has the chat script in the folder from which it is served and in which it is built', async () => {
  const served = await read('apps/chat-gateway/src/widget.route.ts');
  expect(served).toContain(`'chat-widget', 'dist');`);
  expect(dockerfile).toContain('COPY --from=bundles /app/apps/chat-widget/dist ./apps/chat-widget/dist\n');
  expect((await read('.dockerignore')).split('\n')).toContain('**/dist');
});

test('the image has bundles, built in the folder from which they run, and neither sources nor libraries', () => {
  const [, bundles = ''] = / AS bundles\n([^]*?)\nFROM /.exec(dockerfile) ?? [];
  const [, last = ''] = /\nFROM \$\{NODE_IMAGE\}\n([^]*)$/.exec(dockerfile) ?? [];
  expect(bundles).toContain('WORKDIR /app\n');
  const builds = ['packages/bundle/src/main.ts', ...['chat-widget', 'console-web', 'docs-web'].map(buildOf)];
  expect(bundles.replaceAll(/ \\\n +/g, ' ')).toContain(`RUN ${builds.map((file) => `node ${file}`).join(' && ')}\n`);
  expect(last).toContain('WORKDIR /app\n');
  expect(last.match(/^COPY .*$/gm)).toEqual([
    'COPY --from=bundles /app/dist ./dist',
    'COPY --from=sbom /sbom.cdx.json ./',
    'COPY LICENSE ./',
    'COPY --from=bundles /app/apps/chat-widget/dist ./apps/chat-widget/dist',
    'COPY --from=bundles /app/apps/console-web/dist ./apps/console-web/dist',
    'COPY --from=bundles /app/apps/docs-web/dist ./apps/docs-web/dist',
    'COPY --from=dashboards /dashboards ./dashboards',
    'COPY --from=postgres /programs /opt/postgresql',
  ]);
});

const buildOf = (app: string) => `apps/${app}/build.ts`;

test('in Compose, the chat answers from the folder of KNOWLEDGE_FOLDER, and only if it is set', () => {
  const chat = composedOf('chat-gateway');
  expect(chat).toContain('      KNOWLEDGE_DIR: ${KNOWLEDGE_FOLDER:+/knowledge}\n');
  expect(chat).toMatch(/^ {6}- \$\{KNOWLEDGE_FOLDER:-\S+\}:\/knowledge:ro$/m);
});

test('the proxy closes the connection to the chat when the visitor leaves', () => {
  // With `flush_interval -1`, the connection would stay open. Without it, the proxy still passes on streams
  // immediately.
  expect(caddyfile).not.toMatch(/^\s*flush_interval/m);
});

test('no log of the proxy has the headers or the URL of a request, which can hold secrets', () => {
  const [, options = ''] = /^\{\n([^]*?)^\}$/m.exec(caddyfile) ?? [];
  const [, fields = ''] = /^\tlog \{\s+format filter \{\s+wrap json\s+fields \{([^}]*)\}/m.exec(options) ?? [];
  expect(fields.trim().split(/\s*\n\s*/)).toEqual(['request>headers delete', 'request>uri delete']);
  // A log of a site would have its own format.
  expect(caddyfile.match(/^\s*log\b/gm)).toHaveLength(1);
});

test('Compose runs every app', () => {
  for (const { name } of services) {
    const composed = composedOf(name);
    expect(composed).toContain('    <<: *app\n');
    expect(composed).toContain(`    command: [dist/${name}.mjs]\n`);
  }
});

test('the proxy waits for every app that it sends requests to', () => {
  const awaited = [...composedOf('proxy').matchAll(/^ {6}(\S+): \{ condition: service_healthy \}$/gm)];
  expect(awaited.map(([, name = '']) => name).toSorted()).toEqual(routes.map(({ app }) => app).toSorted());
});

test('the README of the images lists the path prefix of each app', async () => {
  const page = await read('infra/images/README.md');
  for (const { name, prefix } of services.filter((service) => service.prefix !== '/'))
    expect(page).toMatch(
      new RegExp(`^\\| \`dist/${name}\\.mjs\`.*\\| ${prefix ? `\`${prefix}\`` : 'nothing'} +\\|$`, 'm'),
    );
});

test('the proxy has the same routes as npm start', () => {
  const routes = [...caddyfile.matchAll(/^\t\t~(\S+) (\S+)$/gm)].map(([, pattern = '', app]) => ({ pattern, app }));
  const [, fallback] = /^\t\tdefault (\S+)$/m.exec(caddyfile) ?? [];
  const viaProxy = (path: string) => routes.find(({ pattern }) => new RegExp(pattern).test(path))?.app ?? fallback;
  const paths = [
    '/',
    '/v1/self',
    '/webhooks/x',
    '/webhooks',
    '/WEBHOOKS/x',
    '/v1/genie/chat',
    '/v1/genie',
    '/docs',
    '/console',
    '/consoles',
  ];
  expect(paths.map(viaProxy)).toEqual(paths.map(appFor));
});

test('commands in the guides name the version of the image, or build the image before they run it', async () => {
  const readme = await read('infra/images/README.md');
  for (const page of [readme, await read('docs/operations.md')])
    expect(page.match(/\bdocker run\b.*\brelata(?![\w.:/-]).*$/gm)).toBeNull();
  const [, restore = ''] = /On a new machine[^]*?```sh\n([^]*?)```/.exec(readme) ?? [];
  const commands = ['docker compose build migrate', 'docker compose run'].map((command) => restore.indexOf(command));
  expect(commands).toEqual([0, expect.any(Number)]);
  expect(commands[1]).toBeGreaterThan(0);
});
