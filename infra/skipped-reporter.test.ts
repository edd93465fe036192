import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { glob, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { skippedTable } from './skipped-reporter.ts';

const root = resolve(import.meta.dirname, '..');

test('a run ends with a table of the skipped tests by reason (found D9)', async () => {
  const folder = await mkdtemp(join(root, '.local', 'skipped-'));
  const tests = `
    import { expect, test } from 'vitest';
    test.each([1, 2])('needs a browser %i', (_, ) => {});
    test.for([1, 2])('a %i', (_, context) => context.skip('needs Chromium'));
    test('b', (context) => context.skip(true, 'needs Linux'));
    test('c', (context) => context.skip(false, 'needs nothing'));
    test.skip('d', () => {});
  `;
  await writeFile(join(folder, 'some.test.ts'), tests);
  const config = `export default { test: { include: ['*.test.ts'], reporters: ['default', '${join(root, 'infra/skipped-reporter.ts')}'] } };`;
  await writeFile(join(folder, 'vitest.config.ts'), config);
  const program = join(root, 'node_modules/vitest/vitest.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'run', '--root', folder], {
    env: { ...process.env, NO_COLOR: '1' },
  });
  await rm(folder, { recursive: true });
  expect(stdout).toContain(
    [
      ' Skipped  Reason          In',
      '       2  needs Chromium  some.test.ts',
      '       1  needs Linux     some.test.ts',
      '       1  says no reason  some.test.ts',
    ].join('\n'),
  );
});

test('for a reason in many files, the first three files are shown', () => {
  const files = ['a.test.ts', 'b.test.ts', 'c.test.ts', 'd.test.ts'];
  expect(skippedTable([{ reason: 'needs Docker', count: 9, files }])).toContain('c.test.ts and 1 more');
  expect(skippedTable([])).toBeUndefined();
});

test('no test is skipped without a reason: context.skip takes one (found D9)', async () => {
  const files = await Array.fromAsync(
    glob(['*.test.ts', '{apps,packages,infra,bench,examples}/**/*.{test,harness}.{ts,tsx}'], {
      cwd: root,
      exclude: ['**/node_modules/**', '**/dist/**', 'infra/skipped-reporter.test.ts'],
    }),
  );
  expect(files.length).toBeGreaterThan(300);
  const found = await Promise.all(
    files.map(async (file) =>
      [
        ...(await readFile(join(root, file), 'utf8')).matchAll(/\b(?:test|it|describe)\.(?:skip|skipIf|runIf|todo)\b/g),
      ].map(([call]) => `${file}: ${call}`),
    ),
  );
  expect(found.flat()).toEqual([]);
});
