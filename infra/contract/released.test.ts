import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { breakingChanges } from './breaking-changes.ts';
import type { Description } from './description.ts';

const read = async (name: string) => JSON.parse(await readFile(`docs/${name}`, 'utf8')) as Description;

test('everything that the last release described still exists or is listed in docs/deprecations.md', async () => {
  const changes = breakingChanges(await read('openapi-released.json'), await read('openapi.json'));
  const page = (await readFile('docs/deprecations.md', 'utf8')).replaceAll(/```[\s\S]*?```/g, '');
  const listed = new Set([...page.matchAll(/^- `([^`]+)`/gm)].map(([, change]) => change));
  expect(changes.filter((change) => !listed.has(change))).toEqual([]);
});
