import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** A call whose first argument is the name of a statement, such as `findWith('api_keys.find', …)`, and its text. */
const declaration = /\b\w+(?:<[^()]*>)?\(\s*'([a-z_]+\.[a-z_]+)',\s*(`[^`]*`|'[^']*')/g;

test('the name of a statement stands for one text, since a connection prepares it once', async () => {
  const texts = new Map<string, Set<string>>();
  for await (const file of glob('{apps,packages}/*/src/**/*.ts', { exclude: ['**/*.test.ts', '**/*.harness.ts'] }))
    for (const [, name, text] of (await readFile(file, 'utf8')).matchAll(declaration))
      texts.getOrInsertComputed(name!, () => new Set()).add(text!);
  expect(texts.size).toBeGreaterThan(200);
  expect([...texts].filter(([, different]) => different.size > 1)).toEqual([]);
});
