import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { licences } from './licences.ts';

/** Returns the licences of a bundle of `main.js`, which is one of these files. */
async function licencesOf(files: Record<string, string>): Promise<string> {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), 'relata-licences-')));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(cwd, name)), { recursive: true });
      await writeFile(join(cwd, name), text);
    }
    await using build = await rolldown({ cwd, input: 'main.js', plugins: [licences], logLevel: 'silent' });
    const { output } = await build.generate();
    return output
      .flatMap((file) => (file.fileName === 'LICENSES.txt' && 'source' in file ? [file.source] : []))
      .join('');
  } finally {
    await rm(cwd, { recursive: true });
  }
}

const manifest = (name: string, more = {}) => JSON.stringify({ name, version: '1.0.0', sideEffects: false, ...more });

test('each bundled library has its licence, from a file or its README, and no other library is named', async () => {
  const text = await licencesOf({
    'main.js': "import { outer } from 'outer'; import { unused } from 'unused'; outer();",
    'node_modules/outer/package.json': manifest('outer', { license: 'MIT' }),
    'node_modules/outer/index.js': "import { inner } from '@in/ner'; export const outer = () => inner(2);",
    'node_modules/outer/LICENSE.md': 'Outer may be used.',
    'node_modules/outer/NOTICE': 'Outer is by Ann.',
    'node_modules/outer/node_modules/@in/ner/package.json': manifest('@in/ner', { license: 'ISC' }),
    'node_modules/outer/node_modules/@in/ner/index.js': 'export const inner = (n) => console.log(n);',
    'node_modules/outer/node_modules/@in/ner/readme.md':
      '# Inner\n\n## License\n\nInner may be used.\n\n## Use\n\nCall it.\n',
    'node_modules/unused/package.json': manifest('unused'),
    'node_modules/unused/index.js': 'export const unused = 1;',
  });
  expect(text.split(/^(?==== )/m).slice(1)).toEqual([
    '=== @in/ner@1.0.0: ISC ===\n\nInner may be used.\n\n\n',
    '=== outer@1.0.0: MIT ===\n\nOuter may be used.\n\nOuter is by Ann.\n',
  ]);
});

test('a library that states no licence fails the build', async () => {
  const files = {
    'main.js': "import { silent } from 'silent'; silent();",
    'node_modules/silent/package.json': manifest('silent'),
    'node_modules/silent/index.js': 'export const silent = () => console.log(1);',
  };
  await expect(licencesOf(files)).rejects.toThrow('silent does not name its licence');
});
