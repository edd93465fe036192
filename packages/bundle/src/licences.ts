import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';

interface Manifest {
  name: string;
  version: string;
  license?: string;
}

/**
 * A plugin for rolldown and Vite that writes `LICENSES.txt`: the name of each library's licence and its licence files.
 */
export const licences: Plugin = {
  name: 'licences',
  async generateBundle(_options, bundle) {
    const parts = Object.values(bundle).flatMap((file) =>
      file.type === 'chunk' ? file.moduleIds : file.originalFileNames,
    );
    const folders = new Set(parts.flatMap((file) => packageFolder.exec(file)?.[1] ?? []));
    const texts = await Promise.all([...folders].map(licenceOf));
    // A library may be installed several times, with different peer dependencies.
    const source = `${heading}${[...new Set(texts)].toSorted().join('')}`;
    this.emitFile({ type: 'asset', fileName: 'LICENSES.txt', source });
  },
};

const packageFolder = /^(\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;

const heading = 'The bundles beside this file contain parts of these libraries.\n';

async function licenceOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
  const texts = await textsIn(folder);
  if (license === undefined && texts.length === 0) throw new Error(`${name} does not name its licence`);
  const said = texts.map((text) => `\n${text.trim()}\n`).join('');
  return `\n\n=== ${name}@${version}: ${license ?? 'see below'} ===\n${said}`;
}

async function textsIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).toSorted();
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  const files = names.filter((name) => /^(licen[cs]e|copying|notice)\b/i.test(name));
  if (files.length > 0) return Promise.all(files.map(read));
  const readmes = await Promise.all(names.filter((name) => /^readme\b/i.test(name)).map(read));
  return readmes.flatMap((text) => chapter.exec(text)?.[1] ?? []);
}

/** Matches the chapter of a README about the licence. */
const chapter = /^#+ *licen[cs]e\b.*\n((?:(?!#).*\n?)+)/im;
