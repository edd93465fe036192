import { docsPath, sitePath } from '../gateway/routes.ts';
import { html, type Html } from './html.ts';
import { layout } from './page-layout.ts';

/** Renders a page that says why the requested page is not shown. */
export function messagePage(title: string, text: string): Html {
  return layout({
    title: `${title} · Acme Flow`,
    description: title,
    content: html`<section class="band message">
      <h1>${title}</h1>
      <p class="lead">${text}</p>
      <p class="actions">
        <a class="button" href="${sitePath}">Front page</a>
        <a class="button quiet" href="${docsPath}">Help centre</a>
      </p>
    </section>`,
  });
}
