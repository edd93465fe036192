import { KnowledgeError } from '../knowledge.error.ts';
import { readFrontMatter } from './front-matter.ts';
import type { PageFile } from './page-files.ts';
import { type Passage, readPassages } from './passages.ts';

export interface KnowledgePage {
  title: string;
  /** Absolute address, http or https. */
  url: string;
  /** Id of the only organization that sees the page, in lower case; undefined if all organizations see it. */
  orgId: string | undefined;
  passages: Passage[];
}

const titleLengthMax = 200;

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Reads a page. `base` is the address of the folder and ends with `/`. Throws for invalid front matter, naming the
 * file.
 */
export function readPage({ path, text }: PageFile, base: URL): KnowledgePage {
  const { matter, body } = frontMatterOf(path, text);
  const { title, passages } = readPassages(body);
  return {
    title: (matter.title ?? title ?? nameOf(path)).slice(0, titleLengthMax),
    url: matter.url === undefined ? new URL(addressOf(path), base).href : givenUrl(path, matter.url, base),
    orgId: organizationOf(path),
    passages,
  };
}

/**
 * Returns the organization whose id is the name of a folder in the path, at any depth. Throws if there are two
 * different ids.
 */
function organizationOf(path: string): string | undefined {
  const ids = path
    .split('/')
    .slice(0, -1)
    .filter((folder) => uuidPattern.test(folder))
    .map((id) => id.toLowerCase());
  if (new Set(ids).size > 1) throw new KnowledgeError(path, 'is in the folders of two organizations.');
  return ids[0];
}

function frontMatterOf(path: string, text: string): ReturnType<typeof readFrontMatter> {
  try {
    return readFrontMatter(text);
  } catch (error) {
    throw new KnowledgeError(path, error instanceof Error ? error.message : 'has front matter that cannot be read.');
  }
}

/** Returns the relative address of a page: `./start` for `start.md`, `./guides/` for `guides/index.md`. */
function addressOf(path: string): string {
  const parts = path
    .replace(/\.md$/i, '')
    .split('/')
    .map((part) => encodeURIComponent(part.toWellFormed()));
  if (parts.at(-1) === 'index') parts[parts.length - 1] = '';
  return `./${parts.join('/')}`;
}

function givenUrl(path: string, given: string, base: URL): string {
  const url = URL.canParse(given, base) ? new URL(given, base) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.href;
  throw new KnowledgeError(path, 'has a url that is not an http or https address.');
}

function nameOf(path: string): string {
  const name = path
    .replace(/(?:\/index)?\.md$/i, '')
    .split('/')
    .at(-1)!
    .replaceAll(/[-_]+/g, ' ')
    .trim();
  return name.charAt(0).toUpperCase() + name.slice(1);
}
