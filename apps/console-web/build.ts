import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { licences } from '@relata/bundle/licences';
import { type BuiltFolder, buildStatic } from '@relata/bundle/static-build';
import { build, type Plugin } from 'vite';

const folder = fileURLToPath(new URL('.', import.meta.url));

/**
 * Builds the console into a folder, `dist` by default: `index.html`, `LICENSES.txt` and, below `assets`, files that are
 * named by their hash. `root` is where its sources are.
 */
export function buildConsole({ outDir = 'dist', root = folder } = {}): Promise<BuiltFolder> {
  const own = ['src/**/*', 'index.html', 'build.ts', 'package.json'].map((pattern) => join(root, pattern));
  const shared = [
    'pnpm-lock.yaml',
    'packages/bundle/src/licences.ts',
    'packages/bundle/src/static-build.ts',
    'packages/schemas/src/fields/*',
    'packages/schemas/src/console/shared/rests.ts',
  ].map((path) => join(folder, '../..', path));
  const target = resolve(root, outDir);
  return buildStatic({ target, sources: [...own, ...shared], root, write: (to) => bundle(root, to) });
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
    plugins: [themeFirst(root), sheetFirst, layersInOrder, licences],
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

if (import.meta.main) {
  const { folder: built, isNew } = await buildConsole();
  console.log(isNew ? built : `${built}: unchanged`);
}
