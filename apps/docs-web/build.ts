import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { licences } from '@relata/bundle/licences';
import { type BuiltFolder, buildStatic } from '@relata/bundle/static-build';
import { rolldown } from 'rolldown';
import { homePage, unknownPage } from './src/home.ts';
import { layOut } from './src/layout.ts';
import { linksBetween, markdownWithLinks } from './src/links.ts';
import { llmsText } from './src/llms.ts';
import { renderPage } from './src/markdown.ts';
import { pageFiles, readPages } from './src/pages.ts';
import { makeReference } from './src/reference/reference-pages.ts';
import { makeSearchIndex } from './src/search-index.ts';

const folder = import.meta.dirname;
const root = join(folder, '../..');
/** Style sheets of the console. They give the documentation the console's look and theme. */
const styles = 'apps/console-web/src/style';

/**
 * Builds the documentation into a folder, `dist` by default. Each file has the path at which it is served; the files of
 * pages have the additional extension `.html`.
 */
export function buildDocs({ outDir = 'dist' } = {}): Promise<BuiltFolder> {
  const sources = [
    ...['src/**/*', 'build.ts', 'package.json'].map((pattern) => `apps/docs-web/${pattern}`),
    ...pageFiles,
    'docs/workflow.schema.json',
    `${styles}/*`,
    'pnpm-lock.yaml',
    ...['bundle', 'schemas'].map((name) => `packages/${name}/src/**/*`),
  ];
  return buildStatic({ target: resolve(folder, outDir), sources, root, write: writeDocs });
}

async function writeDocs(target: string): Promise<void> {
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await writeFile(join(target, path), text);
  };
  const reference = makeReference();
  const listed = [...(await readPages(root)), ...reference.pages];
  const pages = [homePage(listed), ...listed];
  const resolveLink = linksBetween(pages);
  const served = new Set(pages.map(({ path }) => path));
  const rendered = pages.map((page) => ({ page, ...renderPage(page, resolveLink, reference.forms) }));
  for (const { page, html, parts } of rendered) {
    await write(`${page.path}.html`, layOut({ page, html, parts, pages: listed }));
    await write(`${page.path}.md`, markdownWithLinks(page, resolveLink, served));
  }
  const unknown = renderPage(unknownPage, resolveLink);
  await write('404.html', layOut({ ...unknown, page: unknownPage, pages: listed }));
  await write('llms.txt', llmsText(listed));
  await write('docs/search.json', makeSearchIndex(rendered.slice(1)));
  await copyFile(join(root, 'docs/workflow.schema.json'), join(target, 'docs/workflow.schema.json'));
  await writeAssets(target, write);
}

async function writeAssets(target: string, write: (path: string, text: string) => Promise<void>): Promise<void> {
  const read = (path: string) => readFile(join(root, path), 'utf8');
  const sheets = [`${styles}/tokens.css`, `${styles}/base.css`, 'apps/docs-web/src/docs.css'];
  await write('docs/assets/docs.css', (await Promise.all(sheets.map(read))).join(''));
  await write('docs/assets/theme.js', await read(`${styles}/theme-first.js`));
  await using build = await rolldown({
    cwd: folder,
    input: 'src/browser/main.ts',
    platform: 'browser',
    tsconfig: false,
    transform: { target: 'es2022' },
    plugins: [licences],
  });
  const dir = join(target, 'docs/assets');
  await build.write({ dir, format: 'iife', minify: true, entryFileNames: 'docs.js' });
}

if (import.meta.main) {
  const { folder: built, isNew } = await buildDocs();
  console.log(isNew ? built : `${built}: unchanged`);
}
