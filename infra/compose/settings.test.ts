import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettings, type SettingsShape } from '@relata/runtime';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { services } from '../services.ts';

const read = (path: string) => readFile(join(import.meta.dirname, path), 'utf8');
const compose = parse(await read('compose.yaml'), { merge: true }) as {
  services: Record<string, { environment: Record<string, string> }>;
};
const ofImage = (await read('../images/Dockerfile')).matchAll(/^(?:ENV| {3}) (HOST|PORT|METRICS_PORT|NODE_ENV)=/gm);

/** Settings that an operator cannot change in `.env`: the image sets them, or the fixed grace period limits them. */
const fixed = new Set([...[...ofImage].map(([, name]) => name!), 'STOP_DRAIN_MS', 'STOP_TIMEOUT_MS']);

/** Settings that Compose derives from other variables, or whose default differs. */
const ofCompose = new Set(['DATABASE_URL', 'NATS_URL', 'TRUST_PROXY', 'KNOWLEDGE_DIR']);

test.each(services)('in Compose, .env sets every setting of $name, and the app gets no other variable', (app) => {
  const { environment } = compose.services[app.name]!;
  const declared = Object.keys(app.settings);
  expect(fixed.size).toBe(6);
  expect(Object.keys(environment).toSorted()).toEqual(declared.filter((name) => !fixed.has(name)).toSorted());
  const handedOn = Object.entries(environment).filter(([name]) => !ofCompose.has(name));
  expect(handedOn.filter(([name, value]) => value !== `\${${name}:-}`)).toEqual([]);
});

test.each(services)('a setting of $name that Compose passes as an empty string has its default', ({ settings }) => {
  const shape = settings as SettingsShape;
  const required = { DATABASE_URL: 'postgres://relata_app@127.0.0.1/relata' };
  const empty = Object.fromEntries(Object.keys(shape).map((name) => [name, '']));
  expect(readSettings(shape, { ...empty, ...required })).toEqual(readSettings(shape, required));
});

test('in Compose, doctor expects as many copies of the stream as the workers create', () => {
  const { environment } = compose.services['relata']!;
  expect(environment['NATS_STREAM_REPLICAS']).toBe('${NATS_STREAM_REPLICAS:-}');
});
