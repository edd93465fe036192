import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findSuiteBundle } from '@relata/bundle';
import { nodeEnvironment } from '@relata/service';
import { expect, test } from 'vitest';
import { appFor, routes } from './local/gateway/routes.ts';
import { paths } from './local/paths.ts';
import { appNames, entryOf, services } from './services.ts';

test('every app that declares a service is listed', async () => {
  const declared = await Array.fromAsync(glob('apps/*/src/service.ts', { cwd: resolve(import.meta.dirname, '..') }));
  expect(declared.map((file) => file.split('/')[1]!).toSorted()).toEqual(appNames.toSorted());
});

test('every service is started from a file that exists', () => {
  expect(appNames.filter((name) => !existsSync(entryOf(name)))).toEqual([]);
});

test('no two services serve the same paths, and one serves all other paths', () => {
  const prefixes = routes.map(({ prefix }) => prefix);
  expect(new Set(prefixes).size).toBe(prefixes.length);
  expect(prefixes.at(-1)).toBe('/');
});

test('a request goes to the service with the longest matching prefix of the path as sent', () => {
  for (const { prefix, app } of routes) expect(appFor(`${prefix}/x`)).toBe(app);
  expect(appFor('*')).toBe(services.find(({ prefix }) => prefix === '/')!.name);
  expect(appFor('/v1/%67enie/chat')).toBe('records-api');
  expect(['/console', '/console?a', '/console/', '/consolex'].map(appFor)).toEqual([
    'console',
    'console',
    'console',
    'records-api',
  ]);
});

/** Runs Node to its end. Apps load slowly on a busy machine, so tests with it need a longer timeout. */
function runNode(args: readonly string[], settings: NodeJS.ProcessEnv = {}) {
  const env = { ...settings, ...nodeEnvironment(paths.compiled), PATH: process.env['PATH'] };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  return { status, stdout, stderr };
}
const timeout = 60_000;

test.each(services)(
  'with only empty settings, the error of $name names the required setting',
  { timeout },
  async (app) => {
    const empty = Object.fromEntries(Object.keys(app.settings).map((setting) => [setting, '']));
    expect(runNode([await findSuiteBundle(app.name)], empty)).toEqual({
      status: 1,
      stderr: 'These settings are wrong:\n  DATABASE_URL: is required.\n',
      stdout: '',
    });
  },
);

/** Returns code that imports these files and prints the libraries that they and our other files import. */
const librariesOf = (files: readonly string[]) => `
  const { registerHooks } = await import('node:module');
  const libraries = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      const isOurs = !context.parentURL?.includes('/node_modules/');
      if (isOurs && !/^(\\.|@relata\\/|node:|file:)/.test(specifier)) libraries.add(specifier);
      return next(specifier, context);
    },
  });
  for (const url of ${JSON.stringify(files.map((file) => pathToFileURL(file).href))}) await import(url);
  console.log(JSON.stringify([...libraries].toSorted()));`;

test('the declaration of each app can be imported without loading the app', { timeout }, () => {
  const files = appNames.map((name) => entryOf(name).replace('main.ts', 'service.ts'));
  const { stdout, stderr } = runNode(['--input-type=module', '--eval', librariesOf(files)]);
  expect(stderr).toBe('');
  // None of these libraries reads the environment when it is loaded.
  expect(JSON.parse(stdout)).toEqual(['pino', 'prom-client', 'zod']);
});
