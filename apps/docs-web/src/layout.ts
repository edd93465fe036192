import { escapeHtml, type PagePart } from './markdown.ts';
import { type Page, sections } from './pages.ts';

export interface LayoutOptions {
  page: Page;
  html: string;
  parts: readonly PagePart[];
  /** All pages of the navigation. */
  pages: readonly Page[];
}

/** Returns the complete HTML of a page: header with search, navigation, content, and a list of the page's headings. */
export function layOut({ page, html, parts, pages }: LayoutOptions): string {
  const headings = parts.filter(({ depth, anchor }) => depth === 2 && anchor);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · Relata</title>
<link rel="icon" href="data:,">
<link rel="alternate" type="text/markdown" href="${page.path}.md">
<script src="/docs/assets/theme.js"></script>
<link rel="stylesheet" href="/docs/assets/docs.css">
<script src="/docs/assets/docs.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="home" href="/docs">Relata docs</a>
<search hidden>
<input id="search" type="search" role="combobox" aria-label="Search the documentation" placeholder="Search" aria-expanded="false" aria-controls="results" aria-autocomplete="list" autocomplete="off" spellcheck="false">
<kbd aria-hidden="true">/</kbd>
<ul id="results" role="listbox" aria-label="Results" hidden></ul>
<p class="sr-only" role="status"></p>
</search>
<button class="theme" type="button" hidden>Theme</button>
<button class="menu" type="button" popovertarget="nav">Menu</button>
</header>
<div class="frame">
<nav id="nav" aria-label="Documentation" popover>
${navigation(pages, page)}
</nav>
<main id="content" tabindex="-1">
<article>
${html}</article>
<footer><a href="${page.path}.md">This page as Markdown</a></footer>
</main>
${headings.length > 1 ? `<aside><nav aria-label="On this page"><h2>On this page</h2>\n<ul>\n${headings.map(({ anchor, title }) => `<li><a href="#${anchor}">${escapeHtml(title)}</a></li>`).join('\n')}\n</ul></nav></aside>` : ''}
</div>
</body>
</html>
`;
}

function navigation(pages: readonly Page[], current: Page): string {
  return sections
    .map((section) => {
      const items = pages.filter((page) => page.section === section);
      const links = items.map(({ path, title }) => {
        const isCurrent = path === current.path ? ' aria-current="page"' : '';
        return `<li><a href="${path}"${isCurrent}>${escapeHtml(title)}</a></li>`;
      });
      return `<h2>${section}</h2>\n<ul>\n${links.join('\n')}\n</ul>`;
    })
    .join('\n');
}
