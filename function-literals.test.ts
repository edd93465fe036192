import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** Matches a function literal that is assigned to a property, such as `reader.onLeft = () => …`. */
const assignment = /[\w#$)\]]\.[\w#$]+ (?:\?\?)?=\s(?:async )?(?:function\b|(?:\([^()]*\)(?:: [^=]+)?|\w+) =>)/g;

const browserApps = ['apps/console-web/**', 'apps/chat-widget/**', 'apps/docs-web/**'];

test('no function literal is assigned to a property, because V8 would allocate it in the old generation (decision 46)', async () => {
  const found: string[] = [];
  let files = 0;
  const exclude = ['**/*.test.ts', '**/*.harness.ts', ...browserApps];
  for await (const file of glob('{apps,packages}/*/src/**/*.ts', { exclude })) {
    files++;
    for (const [text] of (await readFile(file, 'utf8')).matchAll(assignment)) found.push(`${file}: ${text}`);
  }
  expect(found).toEqual([]);
  expect(files).toBeGreaterThan(400);
});
