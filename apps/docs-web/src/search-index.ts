import MiniSearch from 'minisearch';
import type { PagePart } from './markdown.ts';
import type { Page } from './pages.ts';
import { indexOptions } from './search-options.ts';

const excerptChars = 140;

/** Builds the index over the parts of all pages, as JSON. */
export function makeSearchIndex(rendered: readonly { page: Page; parts: readonly PagePart[] }[]): string {
  const index = new MiniSearch(indexOptions);
  let id = 0;
  for (const { page, parts } of rendered)
    for (const { anchor, title, text } of parts)
      index.add({
        id: id++,
        url: anchor ? `${page.path}#${anchor}` : page.path,
        page: page.title,
        title,
        text,
        excerpt: text.length > excerptChars ? `${text.slice(0, excerptChars).trimEnd()}…` : text,
        weight: page.section === undefined || page.section === 'Project' ? 0.1 : 1,
      });
  return JSON.stringify(index);
}
