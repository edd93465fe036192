import { type PageFile, readFrontMatter, readPage, readPageFiles } from '@relata/knowledge';

/** A page of the knowledge base, as the site shows it. */
export interface KnowledgePage {
  /** Path below `/demo/docs/`: the path of the file without `.md`, or of its folder for an `index` file. */
  path: string;
  title: string;
  /** Without the front matter. */
  markdown: string;
}

// Any base is correct, because the site does not use the address of the page.
const anyBase = new URL('http://localhost/');

/**
 * Returns the pages that the chat uses for all organizations, by path and sorted by title. Reads the few dozen files on
 * each call, so that an edit is visible at once. Throws a `KnowledgeError`.
 */
export async function readKnowledgePages(dir: string): Promise<Map<string, KnowledgePage>> {
  const pages = (await readPageFiles(dir)).flatMap(publicPage);
  return new Map(pages.toSorted(byTitle).map((page) => [page.path, page]));
}

function publicPage(file: PageFile): KnowledgePage[] {
  const { title, orgId } = readPage(file, anyBase);
  const path = file.path.replace(/\.md$/i, '').replace(/(?<=^|\/)index$/, '');
  return orgId === undefined ? [{ path, title, markdown: readFrontMatter(file.text).body }] : [];
}

const byTitle = (a: KnowledgePage, b: KnowledgePage) => a.title.localeCompare(b.title, 'en');
