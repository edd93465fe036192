import { createHash, randomUUID } from 'node:crypto';
import { glob, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { licences } from '@relata/bundle/licences';
import { build, type Plugin } from 'vite';
import { docsPage } from './docs-page.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const stampName = '.sources';
const compressedFrom = 1_000;
const documents = ['docs/workflows.md', 'docs/senders.md', 'docs/senders/*.md'];

export interface BuiltConsole {
  /** Absolute path of the folder: `index.html`, `LICENSES.txt` and, below `assets`, files that are named by their hash. */
  folder: string;
  /** False where the sources are those of the last build, which was left as it is. */
  isNew: boolean;
}

/**
 * Builds the console into a folder, `dist` by default, which is replaced as a whole. Beside each file are its `.br` and
 * `.gz`. Does nothing where the sources are unchanged. `root` is where they are.
 */
export async function buildConsole({ outDir = 'dist', root = folder } = {}): Promise<BuiltConsole> {
  const target = resolve(root, outDir);
  const stamp = await hashOfSources(root);
  if ((await stampOf(target)) === stamp) return { folder: target, isNew: false };
  const temporary = `${target}.${randomUUID()}`;
  try {
    await bundle(root, temporary);
    await compress(temporary);
    await writeFile(join(temporary, stampName), stamp);
    return { folder: target, isNew: await putInPlace(temporary, target, stamp) };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

const stampOf = (target: string) => readFile(join(target, stampName), 'utf8').catch(() => '');

/** Returns a hash of everything that decides what is built. The image has neither a lockfile nor an earlier build. */
async function hashOfSources(root: string): Promise<string> {
  const own = ['src/**/*', 'index.html', 'build.ts', 'docs-page.ts', 'package.json'].map((pattern) =>
    join(root, pattern),
  );
  const shared = [
    'pnpm-lock.yaml',
    'packages/bundle/src/licences.ts',
    'packages/schemas/src/fields/*',
    'packages/schemas/src/console/shared/rests.ts',
    ...documents,
  ];
  const others = shared.map((path) => join(folder, '../..', path));
  const files = await Array.fromAsync(glob([...own, ...others], { withFileTypes: true }));
  const names = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  const hash = createHash('sha256');
  for (const name of names.filter((name) => !/\.(test|harness)\.tsx?$/.test(name)).toSorted())
    hash.update(`\0${relative(root, name)}\0`).update(await readFile(name));
  return hash.digest('hex');
}

async function bundle(root: string, outDir: string): Promise<void> {
  await build({
    root,
    base: '/console/',
    configFile: false,
    logLevel: 'error',
    // Said thrice, as each would else go by NODE_ENV, which tests set to their own.
    define: { 'process.env.NODE_ENV': '"production"' },
    // A runtime of our own, by which what is unseen in a text is shown.
    oxc: { jsx: { runtime: 'automatic', importSource: '#text', development: false } },
    resolve: { conditions: ['module', 'browser', 'production'] },
    plugins: [themeFirst(root), sheetFirst, layersInOrder, licences, documentation],
    css: { modules: { generateScopedName: '[local]_[hash:base64:4]' } },
    build: {
      outDir,
      emptyOutDir: true,
      // light-dark() is kept as it is from these versions on.
      target: ['chrome123', 'firefox121', 'safari17.5'],
      assetsInlineLimit: 0,
      // All of it is 5 kB packed: no page waits for its own.
      cssCodeSplit: false,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
}

/** The theme is set before the first paint, by a script that blocks; the policy allows no inline one. */
function themeFirst(root: string): Plugin {
  let themeFile = '';
  return {
    name: 'theme-first',
    apply: 'build',
    async buildStart() {
      const source = await readFile(join(root, 'src/style/theme-first.js'), 'utf8');
      const code = source.replaceAll(/^\s*\/\/.*\n/gm, '');
      const hash = createHash('sha256').update(code).digest('base64url').slice(0, 8);
      themeFile = `assets/theme-${hash}.js`;
      this.emitFile({ type: 'asset', fileName: themeFile, source: code });
    },
    transformIndexHtml: () => [{ tag: 'script', attrs: { src: `/console/${themeFile}` }, injectTo: 'head-prepend' }],
  };
}

/** On a slow line the sheet comes before the scripts, and with it the shape of the page. */
const sheetFirst: Plugin = {
  name: 'sheet-first',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => html.replaceAll(/(<link rel="modulepreload"|<script type="module")/g, '$1 fetchpriority="low"'),
  },
};

/** The pages of the documentation that the console links to: they are of the same release and need no internet. */
const documentation: Plugin = {
  name: 'documentation',
  apply: 'build',
  async buildStart() {
    const root = join(folder, '../..');
    const paths = await Array.fromAsync(glob(documents, { cwd: root }));
    for (const path of paths) {
      const source = docsPage(path, await readFile(join(root, path), 'utf8'), paths);
      this.emitFile({ type: 'asset', fileName: path.replace(/\.md$/, '.html'), source });
    }
    const read = (name: string) => readFile(join(folder, `src/style/${name}.css`), 'utf8');
    const sheets = await Promise.all(['tokens', 'base', 'docs'].map(read));
    this.emitFile({ type: 'asset', fileName: 'docs/docs.css', source: sheets.join('') });
  },
};

/** Layers rank by their first appearance, and the order of modules is the bundler's. */
const layersInOrder: Plugin = {
  name: 'layers-in-order',
  enforce: 'post',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === 'asset' && file.fileName.endsWith('.css')) file.source = `${layers}${String(file.source)}`;
  },
};
const layers = '@layer tokens,base,ui,shell,page;';

async function compress(target: string): Promise<void> {
  const files = await Array.fromAsync(glob(join(target, '**/*.{html,js,css,svg,txt}')));
  await Promise.all(files.map(compressFile));
}

async function compressFile(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.length < compressedFrom) return;
  const size = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, size));
  await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

/**
 * Renames a built folder to where it is used from, in the place of one of other sources. False where another build of the
 * same sources was there first: it may be in use already, and stays.
 */
export async function putInPlace(from: string, to: string, stamp: string): Promise<boolean> {
  if (await hasRenamed(from, to, ['ENOTEMPTY', 'EEXIST'])) return true;
  if ((await stampOf(to)) === stamp) return false;
  // A folder cannot be renamed over one that has files; another build may do the same at this moment.
  const old = `${to}.${randomUUID()}`;
  await hasRenamed(to, old, ['ENOENT']);
  try {
    return await putInPlace(from, to, stamp);
  } finally {
    await rm(old, { recursive: true, force: true });
  }
}

async function hasRenamed(from: string, to: string, refusals: readonly string[]): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && refusals.includes(String(error.code))) return false;
    throw error;
  }
}

if (import.meta.main) {
  const { folder: built, isNew } = await buildConsole();
  console.log(isNew ? built : `${built}: unchanged`);
}
