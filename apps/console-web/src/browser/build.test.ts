import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { putInPlace } from '@relata/bundle/static-build';
import { buildConsole } from '../../build.ts';

let parent: string;
beforeEach(async () => void (parent = await mkdtemp(join(tmpdir(), 'relata-console-'))));
afterEach(() => rm(parent, { recursive: true }));

test('the console is built again only after a source was changed, added or removed', async () => {
  const write = (path: string, text: string) => writeFile(join(parent, path), text);
  const build = async () => (await buildConsole({ root: parent })).isNew;
  await mkdir(join(parent, 'src/style'), { recursive: true });
  await write('index.html', '<!doctype html><title>Tiny</title><script type="module" src="/src/main.ts"></script>');
  await write('src/style/theme-first.js', 'document.documentElement.dataset.theme = "dark";\n');
  await write('src/main.ts', 'document.title = "first";\n');
  expect([await build(), await build()]).toEqual([true, false]);
  await write('src/main.test.ts', 'What is no part of the bundle.');
  expect(await build()).toBe(false);
  const changes = [
    () => write('src/main.ts', 'document.title = "second";\n'),
    () => write('src/style/theme-first.js', 'document.documentElement.dataset.theme = "light";\n'),
    () => write('src/other.ts', 'export {};\n'),
    () => rm(join(parent, 'src/other.ts')),
  ];
  for (const change of changes) {
    await change();
    expect([await build(), await build()]).toEqual([true, false]);
  }
  const scripts = (await readdir(join(parent, 'dist/assets'))).filter((name) => name.endsWith('.js'));
  const texts = await Promise.all(scripts.map((name) => readFile(join(parent, 'dist/assets', name), 'utf8')));
  expect(texts.join('')).toMatch(/second/);
  expect(texts.join('')).not.toMatch(/first/);
});

test('concurrent builds all succeed, and leave one complete folder', async () => {
  const target = join(parent, 'dist');
  for (const stamp of ['of these sources', 'of later ones']) {
    const built = Array.from({ length: 8 }, (_, at) => join(parent, `dist.${at}`));
    for (const folder of built) {
      await mkdir(join(folder, 'assets'), { recursive: true });
      await writeFile(join(folder, '.sources'), stamp);
    }
    const isNew = await Promise.all(built.map((folder) => putInPlace(folder, target, stamp)));
    expect(isNew).toContain(true);
    expect((await readdir(target)).toSorted()).toEqual(['.sources', 'assets']);
    expect(await readFile(join(target, '.sources'), 'utf8')).toBe(stamp);
    await Promise.all(built.map((folder) => rm(folder, { recursive: true, force: true })));
    expect(await readdir(parent)).toEqual(['dist']);
  }
});
