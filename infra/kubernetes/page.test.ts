import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrationSettings, type SettingsShape } from '@relata/runtime';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { appNames } from '../services.ts';
import { ofKind } from './objects.harness.ts';
import { render, type Tree } from './render.harness.ts';
import { isSecret, shapeOf } from './settings.harness.ts';

const page = await readFile(join(import.meta.dirname, 'README.md'), 'utf8');

test('the README of Kubernetes names every key of the secrets', () => {
  const shapes = [...appNames.map(shapeOf), migrationSettings as SettingsShape];
  const keys = shapes.flatMap((shape) => Object.keys(shape).filter((name) => isSecret(shape[name]!)));
  expect(keys.length).toBeGreaterThan(0);
  expect([...new Set(keys)].filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
});

test('the overlay of the README sets CONSOLE_URL in every app that reads it', () => {
  const [, overlay = ''] = /^```yaml\n# kustomization\.yaml\n([^]*?)^```$/m.exec(page) ?? [];
  const patches = (parse(overlay) as { patches: { patch: string }[] }).patches.map(({ patch }) => parse(patch) as Tree);
  const url = { name: 'CONSOLE_URL', value: 'https://crm.example.com' };
  const found = ofKind(patches, 'Deployment').map(({ metadata, spec }) => ({ [metadata.name]: spec.template.spec }));
  const readers = appNames.filter((name) => 'CONSOLE_URL' in shapeOf(name));
  expect(found).toEqual(readers.map((name) => ({ [name]: { containers: [{ name, env: [url] }] } })));
});

test('the README creates a separate secret for KEDA, with all values that KEDA needs and no others', async () => {
  const objects = await render(join(import.meta.dirname, 'overlays/large'));
  const asked = ofKind(objects, 'TriggerAuthentication').flatMap(({ spec }) => spec.secretTargetRef as Tree[]);
  const [, made = ''] = /create secret generic relata-keda \\\n((?: +--from-literal.*\n)+)/.exec(page) ?? [];
  const keys = [...made.matchAll(/--from-literal=(\w+)=/g)].map(([, key]) => key);
  expect(keys.length).toBeGreaterThan(0);
  expect(asked).toEqual(keys.map((key) => ({ parameter: key, name: 'relata-keda', key })));
});
