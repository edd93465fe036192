import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** Matches doc comments that do not begin with their subject or verb. */
const indirect = /^(Of|What|Where|Whether|Who|That|As|By|The same|One|Those|Undefined of)\b/;

/** Returns the doc comments of a file, without their asterisks. */
function docCommentsIn(text: string): string[] {
  return [...text.matchAll(/\/\*\*([^]*?)\*\//g)].map(([, comment]) => comment!.replaceAll(/^\s*\*? ?/gm, '').trim());
}

test('doc comments are found, on one line and on several', () => {
  expect(
    docCommentsIn('/** Returns one. */ a; /**\n * Returns it\n * in two lines.\n */ b; // Of no interest'),
  ).toEqual(['Returns one.', 'Returns it\nin two lines.']);
});

test('doc comments begin with their subject or verb', async () => {
  const files = await Array.fromAsync(
    glob('{apps,packages,infra,bench,examples}/**/*.{ts,tsx}', { exclude: ['**/node_modules/**', '**/dist/**'] }),
  );
  expect(files.length).toBeGreaterThan(1_000);
  const faults: string[] = [];
  for (const file of files)
    for (const comment of docCommentsIn(await readFile(file, 'utf8')))
      if (indirect.test(comment)) faults.push(`${file}: ${comment.split('\n')[0]}`);
  expect(faults).toEqual([]);
});
