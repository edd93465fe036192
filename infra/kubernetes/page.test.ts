import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrationSettings, type SettingsShape } from '@relata/runtime';
import { expect, test } from 'vitest';
import { appNames } from '../services.ts';
import { isSecret, shapeOf } from './settings.harness.ts';

test('the page on Kubernetes names every key of the secrets', async () => {
  const page = await readFile(join(import.meta.dirname, 'README.md'), 'utf8');
  const shapes = [...appNames.map(shapeOf), migrationSettings as SettingsShape];
  const keys = shapes.flatMap((shape) => Object.keys(shape).filter((name) => isSecret(shape[name]!)));
  expect(keys.length).toBeGreaterThan(0);
  expect([...new Set(keys)].filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
});
