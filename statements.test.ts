import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** Matches a call that declares a statement, such as `findWith('api_keys.find', …)`: its name and its SQL. */
const declaration = /\b\w+(?:<[^()]*>)?\(\s*'([a-z_]+\.[a-z_]+)',\s*(`[^`]*`|'[^']*')/g;

test('no two statements with different SQL share a name, since a connection prepares each name once', async () => {
  const texts = new Map<string, Set<string>>();
  for await (const file of glob('{apps,packages}/*/src/**/*.ts', { exclude: ['**/*.test.ts', '**/*.harness.ts'] }))
    for (const [, name, text] of (await readFile(file, 'utf8')).matchAll(declaration))
      texts.getOrInsertComputed(name!, () => new Set()).add(text!);
  expect(texts.size).toBeGreaterThan(200);
  expect([...texts].filter(([, different]) => different.size > 1)).toEqual([]);
});
