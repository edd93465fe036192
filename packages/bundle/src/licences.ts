import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';

interface Manifest {
  name: string;
  version: string;
  license?: string;
}

/** Writes `LICENSES.txt`: of each library of which something is in the bundles, the licence and the files that say so. */
export const licences: Plugin = {
  name: 'licences',
  async generateBundle(_options, bundle) {
    const parts = Object.values(bundle).flatMap((file) =>
      file.type === 'chunk' ? file.moduleIds : file.originalFileNames,
    );
    const folders = new Set(parts.flatMap((file) => packageFolder.exec(file)?.[1] ?? []));
    const texts = await Promise.all([...folders].map(licenceOf));
    // One library may be there twice, by its peers.
    const source = `${heading}${[...new Set(texts)].toSorted().join('')}`;
    this.emitFile({ type: 'asset', fileName: 'LICENSES.txt', source });
  },
};

const packageFolder = /^(\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;

const heading = 'The bundles beside this file have parts of these libraries.\n';

async function licenceOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)\b/i.test(file)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const said = texts.map((text) => `\n${text.trim()}\n`).join('');
  return `\n\n=== ${name}@${version}: ${license ?? 'see below'} ===\n${said}`;
}
