import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { baseUrl, loadFiles, pageFolder } from '../knowledge.harness.ts';
import { openKnowledge } from '../knowledge.ts';

const text = 'Visitors find parking behind the warehouse.';

/** Returns the page that is read from a file with this content. */
async function pageOf(path: string, content: string) {
  const knowledge = await loadFiles({ [path]: content });
  return knowledge.search('parking for visitors', '')[0]!;
}

test.each([
  ['parking.md', `${baseUrl}/parking`],
  ['visit/by car.md', `${baseUrl}/visit/by%20car`],
  ['visit/index.md', `${baseUrl}/visit/`],
  ['index.md', `${baseUrl}/`],
  ['a#b?c%d.md', `${baseUrl}/a%23b%3Fc%25d`],
  ['javascript:alert(1).md', `${baseUrl}/javascript%3Aalert(1)`],
  ['Größe.MD', `${baseUrl}/Gr%C3%B6%C3%9Fe`],
])('the page %s has the address %s', async (path, url) => {
  expect((await pageOf(path, text)).url).toBe(url);
});

test.each([
  ['https://help.example/a b', 'https://help.example/a%20b'],
  ['/help/parking', 'https://acme.example/help/parking'],
  ['sub/page', `${baseUrl}/sub/page`],
])('a page with the url %s has the address %s', async (given, url) => {
  expect((await pageOf('parking.md', `---\nurl: ${given}\n---\n${text}`)).url).toBe(url);
});

test.each([
  ['---\ntitle: "Given: a title"\n---\n# Heading\n', 'Given: a title'],
  ['# Heading #\n\n# Another\n', 'Heading'],
  ['Heading\n=======\n', 'Heading'],
  ['', 'By car'],
])('the title of %j is %s', async (beginning, title) => {
  expect((await pageOf('by-car.md', `${beginning}\n${text}`)).title).toBe(title);
});

test('Windows line ends and a byte order mark do not change a page', async () => {
  const page = await pageOf('a.md', `\ufeff---\r\ntitle: Parking\r\n---\r\n# Heading\r\n\r\n${text}\r\n`);
  expect(page).toMatchObject({ title: 'Parking', passages: [text] });
});

test('README files, hidden files, links to files outside the folder and files other than Markdown are not pages', async () => {
  const outside = await pageFolder({ 'secret.md': text });
  const dir = await pageFolder({ 'a.md': text, 'README.md': text, '.b.md': text, '.git/c.md': text, 'd.txt': text });
  await mkdir(join(dir, 'node_modules'));
  await writeFile(join(dir, 'node_modules/e.md'), text);
  await symlink(join(outside, 'secret.md'), join(dir, 'f.md'));
  await symlink(outside, join(dir, 'g'));
  await symlink(join(dir, 'absent.md'), join(dir, 'h.md'));
  expect((await openKnowledge({ dir, baseUrl })).pageCount).toBe(1);
});

test('each file of a ConfigMap, which Kubernetes mounts as a link, is one page', async () => {
  const dir = await pageFolder({ '..2026_11_27/pricing.md': text });
  await symlink('..2026_11_27', join(dir, '..data'));
  await symlink('..data/pricing.md', join(dir, 'pricing.md'));
  expect((await openKnowledge({ dir, baseUrl })).pageCount).toBe(1);
});

const bomb = `a: &a [x, x]\nb: &b [*a, *a]\ntitle: *b\n`;

test.each([
  ['a file that is not UTF-8', Buffer.from([0x23, 0x20, 0xff, 0xfe]), 'is not UTF-8.'],
  ['a file of more than 1 MB', '#'.repeat(1_048_577), 'is larger than 1048576 bytes.'],
  ['broken front matter', '---\ntitle: [\n---\n', 'has front matter that is not YAML'],
  ['aliases', `---\n${bomb}---\n`, 'has front matter with aliases.'],
  ['a list as front matter', '---\n- a\n---\n', 'has front matter that is not a mapping.'],
  ['front matter without an end', `---\ntitle: a\n${'#\n'.repeat(5_000)}`, 'has front matter that does not end'],
  ['a title that is no text', '---\ntitle: { a: 1 }\n---\n', 'has a title that is not a text'],
  [
    'a url that is no web address',
    '---\nurl: "javascript:alert(1)"\n---\n',
    'has a url that is not an http or https address.',
  ],
])('refuses %s and names the file', async (_what, content, fault) => {
  const opening = loadFiles({ 'good.md': text, 'guides/bad.md': content });
  await expect(opening).rejects.toThrow(/guides\/bad\.md/);
  await expect(opening).rejects.toThrow(fault);
});

test('a folder that cannot be read is an error that names it', async () => {
  const dir = join(await pageFolder({}), 'absent');
  await expect(openKnowledge({ dir, baseUrl })).rejects.toThrow(`Knowledge base: ${dir} cannot be read (ENOENT).`);
});

test.each(['', 'docs', 'file:///docs', 'javascript:alert(1)'])(
  '%j is refused as the address of pages',
  async (given) => {
    await expect(openKnowledge({ dir: undefined, baseUrl: given })).rejects.toThrow('is not an http or https address');
  },
);
