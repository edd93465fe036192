import { docsPath } from '../gateway/routes.ts';
import { chatPart } from './chat.view.ts';
import { html, type Html } from './html.ts';
import type { KnowledgePage } from './knowledge-pages.ts';
import { renderMarkdown } from './markdown.ts';
import { layout } from './page-layout.ts';

/** Renders a page of the help centre, with links to the other pages. */
export function docPage(page: KnowledgePage, pages: readonly KnowledgePage[], chatKey: string | undefined): Html {
  return layout({
    title: `${page.title} · Acme Flow`,
    description: page.title,
    content: html`<div class="docs">
      <nav class="pages" aria-label="Help pages">
        <a class="up" href="${docsPath}">All pages</a>
        ${listOf(pages, page.path)}
      </nav>
      <article class="text">${renderMarkdown(page.markdown)}</article>
    </div>`,
    chat: chatPart(chatKey, 'launcher'),
  });
}

export function docsIndex(pages: readonly KnowledgePage[], chatKey: string | undefined): Html {
  return layout({
    title: 'Help centre · Acme Flow',
    description: 'Everything there is to know about Acme Flow.',
    content: html`<section class="band index">
      <h1>Help centre</h1>
      <p class="lead">${pages.length} pages. The assistant in the corner answers from these, and from nothing else.</p>
      ${listOf(pages)}
    </section>`,
    chat: chatPart(chatKey, 'launcher'),
  });
}

function listOf(pages: readonly KnowledgePage[], current?: string): Html {
  const link = ({ path, title }: KnowledgePage) => {
    const href = `${docsPath}/${path.split('/').map(encodeURIComponent).join('/')}`;
    return path === current
      ? html`<li><a href="${href}" aria-current="page">${title}</a></li>`
      : html`<li><a href="${href}">${title}</a></li>`;
  };
  return html`<ul>
    ${pages.map(link)}
  </ul>`;
}
