import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { licences } from '@relata/bundle/licences';
import { type BuiltFolder, buildStatic } from '@relata/bundle/static-build';
import { build, type Plugin } from 'vite';

const folder = fileURLToPath(new URL('.', import.meta.url));

/**
 * Builds the console into `outDir`, unless no source has changed. Writes `index.html`, `LICENSES.txt` and, below
 * `assets`, files whose names contain a hash. `root` is the folder of the sources.
 */
export function buildConsole({ outDir = 'dist', root = folder } = {}): Promise<BuiltFolder> {
  const own = ['src/**/*', 'index.html', 'build.ts', 'package.json'].map((pattern) => join(root, pattern));
  const shared = [
    'pnpm-lock.yaml',
    'packages/bundle/src/licences.ts',
    'packages/bundle/src/static-build.ts',
    'packages/schemas/src/fields/*',
    'packages/schemas/src/console/shared/idle-periods.ts',
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
    // `define`, `oxc` and `resolve` set production mode. By default they follow NODE_ENV, which differs in tests.
    define: { 'process.env.NODE_ENV': '"production"' },
    // Uses `ui/text/jsx-runtime.ts`, which makes invisible characters in texts visible.
    oxc: { jsx: { runtime: 'automatic', importSource: '#text', development: false } },
    resolve: { conditions: ['module', 'browser', 'production'] },
    plugins: [themeFirst(root), sheetFirst, layersInOrder, licences],
    css: { modules: { generateScopedName: '[local]_[hash:base64:4]' } },
    build: {
      outDir,
      emptyOutDir: true,
      // These and later versions support light-dark(), so the build does not rewrite it.
      target: ['chrome123', 'firefox121', 'safari17.5'],
      assetsInlineLimit: 0,
      // All style sheets together are less than 20 kB compressed, so one file serves all pages.
      cssCodeSplit: false,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
}

/**
 * Adds a blocking script that sets the theme before the first paint. The content security policy forbids inline
 * scripts.
 */
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

/**
 * Gives scripts a low priority. Over a slow connection the browser then loads the style sheet first, so that the layout
 * appears early.
 */
const sheetFirst: Plugin = {
  name: 'sheet-first',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => html.replaceAll(/(<link rel="modulepreload"|<script type="module")/g, '$1 fetchpriority="low"'),
  },
};

/**
 * Fixes the order of the CSS layers. Otherwise it would depend on the order in which the bundler joins the style
 * sheets.
 */
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
