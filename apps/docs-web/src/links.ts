import { posix } from 'node:path';
import type { Page } from './pages.ts';

/** Served paths of files that are not pages. */
const files: Readonly<Record<string, string>> = {
  'docs/openapi.json': '/openapi.json',
  'docs/workflow.schema.json': '/docs/workflow.schema.json',
};

export type Resolve = (href: string, page: Page) => string | undefined;

/**
 * Returns a function that converts the target of a link, a relative path in the repository, to the served path. It
 * returns undefined for files that are not served; links to these become plain text.
 */
export function linksBetween(pages: readonly Page[]): Resolve {
  const paths = new Map(pages.flatMap(({ file, path }) => (file === undefined ? [] : [[file, path] as const])));
  return (href, page) => {
    if (/^(?:https?:|mailto:|#|\/)/.test(href)) return href;
    if (page.file === undefined) throw new Error(`${page.path} has a relative link: ${href}`);
    const [target = '', anchor] = href.split('#');
    const file = posix.join(posix.dirname(page.file), target);
    const path = files[file] ?? paths.get(file);
    return path === undefined ? undefined : `${path}${anchor === undefined ? '' : `#${anchor}`}`;
  };
}

/** Removes comments and points links at the Markdown of pages. Links to files that are not served become plain text. */
export function markdownWithLinks(page: Page, resolve: Resolve, served: ReadonlySet<string>): string {
  const replaced = (text: string) =>
    text.replaceAll(/(?<!!)\[([^\]]*)\]\(([^)\s]+)\)/g, (_link, label: string, href: string) => {
      const target = resolve(href, page);
      if (target === undefined) return label;
      const [path = '', anchor] = target.split('#');
      const own = served.has(path) ? `${path}.md` : path;
      return `[${label}](${own}${anchor === undefined ? '' : `#${anchor}`})`;
    });
  // Leaves code blocks unchanged.
  return page.markdown
    .split(/(^```[^]*?^```)/m)
    .map((part) => (part.startsWith('```') ? part : replaced(part.replaceAll(/<!--[^]*?-->\n*/g, ''))))
    .join('');
}
