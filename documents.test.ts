import { glob, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { neighbours } from './infra/neighbours/neighbours.ts';

const pages = await Array.fromAsync(
  glob(['*.md', '{docs,apps,packages,infra,examples,bench}/**/*.md'], {
    exclude: ['**/node_modules/**', '**/dist{,.*}/**', 'examples/acme-knowledge/**'],
  }),
);

interface Link {
  page: string;
  file: string;
  anchor: string | undefined;
}

async function linksOf(page: string): Promise<Link[]> {
  const text = (await readFile(page, 'utf8')).replaceAll(/```[\s\S]*?```/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target]) => {
    if (/^[a-z]+:/.test(target!)) return [];
    const [path, anchor] = target!.split('#');
    return [{ page, file: path ? join(dirname(page), path) : page, anchor }];
  });
}

/** Returns the anchors of a file's headings, as GitHub derives them. */
async function anchorsOf(file: string): Promise<string[]> {
  const headings = (await readFile(file, 'utf8')).match(/^#+ .*$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('every link between the documents leads to an existing file and heading', async () => {
  const links = (await Promise.all(pages.map(linksOf))).flat();
  expect(links.length).toBeGreaterThan(30);
  const broken: string[] = [];
  for (const { page, file, anchor } of links) {
    const isThere = await stat(file).then(
      () => true,
      () => false,
    );
    if (!isThere || (anchor && !(await anchorsOf(file)).includes(anchor))) broken.push(`${page}: ${file}#${anchor}`);
  }
  expect(broken).toEqual([]);
});

test('every package and every app has a README', async () => {
  const folders = (
    await Promise.all(['packages', 'apps'].map(async (of) => (await readdir(of)).map((name) => join(of, name))))
  ).flat();
  expect(folders.filter((folder) => !pages.includes(join(folder, 'README.md')))).toEqual([]);
});

test('the index of decisions lists every decision', async () => {
  const listed = await readFile('docs/decisions/README.md', 'utf8');
  const records = (await readdir('docs/decisions')).filter((name) => /^\d/.test(name));
  expect(records.filter((name) => !listed.includes(`(${name})`))).toEqual([]);
});

test('the documents run TypeScript with `npx node`, because the Node of the machine may be version 20', async () => {
  const texts = await Promise.all(pages.map(async (page) => ({ page, text: await readFile(page, 'utf8') })));
  const found = texts.flatMap(({ page, text }) =>
    [...text.matchAll(/(?<!npx )\bnode\s+(?:-\S+\s+)*[\w./-]+\.ts\b/g)].map(([command]) => `${page}: ${command}`),
  );
  expect(found).toEqual([]);
});

test('the README has at most 110 lines, and its first picture is smaller than 250 KB', async () => {
  const readme = await readFile('README.md', 'utf8');
  expect(readme.split('\n').length - 1).toBeLessThanOrEqual(110);
  const [, picture] = /!\[[^\]]+\]\(([^)]+)\)/.exec(readme) ?? [];
  expect((await stat(picture!)).size).toBeLessThan(250_000);
});

test('every row of the neighbours suite that ARCHITECTURE.md names exists', async () => {
  const [, section = ''] = /\n## What is shared\n([^]*?)\n## /.exec(await readFile('ARCHITECTURE.md', 'utf8')) ?? [];
  const cells = [...section.matchAll(/^\|(?:[^|]*\|){4} ([^|]*) \|$/gm)].map(([, rows]) => rows!.trim());
  const named = cells.slice(2).flatMap((rows) => (rows === '-' ? [] : rows.split(', ')));
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !neighbours.some((row) => row.name === name))).toEqual([]);
});

test('only docs/workflows.md explains whole numbers beyond 2^53; two pages link to it (found C5)', async () => {
  const saying = await Promise.all(
    pages.map(async (page) => {
      const lines = (await readFile(page, 'utf8')).split('\n');
      return lines.some((line) => line.includes('2^53') && !line.includes('`offset`')) ? [page] : [];
    }),
  );
  expect(saying.flat().filter((page) => page !== 'CHANGELOG.md' && !page.startsWith('docs/decisions/'))).toEqual([
    'docs/workflows.md',
  ]);
  expect((await readFile('docs/guarantees.md', 'utf8')) + (await readFile('docs/webhooks.md', 'utf8'))).toContain(
    'workflows.md#large-whole-numbers',
  );
});

test('the first 12 lines of the README name the main missing features (found C8)', async () => {
  const first = (await readFile('README.md', 'utf8')).split('\n').slice(0, 12).join(' ');
  const [, missing = ''] = /\*\*Not there yet\*\*: ([^.]*)\./.exec(first) ?? [];
  for (const what of ['import', 'e-mail', 'SSO']) expect(missing).toContain(what);
});
