import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { nodeEnvironment, nodeOptions, nodeOptionsOf } from '@relata/runtime';
import { expect, test } from 'vitest';
import { appFor, appNames } from '../local/gateway.routes.ts';

const root = resolve(import.meta.dirname, '..', '..');
const read = (path: string) => readFile(join(root, path), 'utf8');

const dockerfile = await read('infra/images/Dockerfile');
const compose = await read('infra/compose/compose.yaml');
const caddyfile = await read('infra/compose/Caddyfile');

test('the image has the Node that npm start runs', async () => {
  const [, version] = /^ {2}node: (\S+)$/m.exec(await read('pnpm-workspace.yaml')) ?? [];
  expect(dockerfile).toContain(`ARG NODE_VERSION=${version}\n`);
});

test('the image runs Node as npm start does', () => {
  expect(dockerfile).toContain(`ENTRYPOINT ${JSON.stringify(['node', ...nodeOptions]).replaceAll(',', ', ')}\n`);
  const [, cacheDir = ''] = /NODE_COMPILE_CACHE=(\S+)/.exec(dockerfile) ?? [];
  for (const [name, value] of Object.entries(nodeEnvironment(cacheDir)))
    expect(dockerfile).toContain(`${name}=${value}`);
  // Compiled code is kept for one set of flags.
  const starts = [...dockerfile.matchAll(/node (--\S+(?: --\S+)*) "?apps\//g)].map(([, flags]) => flags);
  expect(starts).toEqual([nodeOptions.join(' ')]);
  expect(dockerfile).toContain(`      flags="${nodeOptions.join(' ')}"; `);
  for (const app of appNames.filter((name) => nodeOptionsOf(name) !== nodeOptions)) {
    const flags = nodeOptionsOf(app);
    expect(dockerfile).toContain(`if [ "$app" = ${app} ]; then flags="${flags.join(' ')}"; fi;`);
    expect(compose).toContain(`    entrypoint: [node, ${flags.join(', ')}]\n`);
  }
});

test('every app is proved at the build of the image', async () => {
  const apps = (await readdir(join(root, 'apps'))).filter((name) => name !== 'cli');
  const [, proved = ''] = /for app in ([^;]+);/.exec(dockerfile) ?? [];
  expect(proved.split(' ').toSorted()).toEqual(apps.toSorted());
});

test('Compose runs every app', () => {
  for (const name of appNames)
    expect(compose).toContain(`\n  ${name}:\n    <<: *app\n    command: [apps/${name}/src/main.ts]\n`);
});

test('the proxy routes as npm start does', () => {
  const routes = [...caddyfile.matchAll(/^\t\t~\^(\S+) (\S+)$/gm)].map(([, prefix = '', app]) => ({ prefix, app }));
  const [, fallback] = /^\t\tdefault (\S+)$/m.exec(caddyfile) ?? [];
  const viaProxy = (path: string) => routes.find(({ prefix }) => path.startsWith(prefix))?.app ?? fallback;
  const paths = ['/', '/v1/self', '/webhooks/x', '/webhooks', '/WEBHOOKS/x', '/v1/genie/chat', '/v1/genie', '/docs'];
  expect(paths.map(viaProxy)).toEqual(paths.map(appFor));
});
