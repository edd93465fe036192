import { docsPath, sitePath } from '../gateway/routes.ts';
import { html, type Html } from './html.ts';

export interface SitePage {
  title: string;
  description: string;
  content: Html;
  /** The chat; undefined on pages without it. */
  chat?: Html;
}

const navigation = [
  { href: `${sitePath}#features`, text: 'Product' },
  { href: `${docsPath}/pricing`, text: 'Pricing' },
  { href: docsPath, text: 'Help' },
];

const styles = ['base.css', 'frame.css', 'home.css', 'docs.css'];

export function layout({ title, description, content, chat = html`` }: SitePage): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content="${description}" />
        <title>${title}</title>
        <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(mark.text)}" />
        ${styles.map((name) => html`<link rel="stylesheet" href="${sitePath}/${name}" />`)}
        <script src="${sitePath}/site.js" defer></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="bar">
          <a class="brand" href="${sitePath}">${mark}<span>Acme Flow</span></a>
          <nav aria-label="Main">${navigation.map(({ href, text }) => html`<a href="${href}">${text}</a>`)}</nav>
          <a class="button small" href="${docsPath}/free-trial">Try it free</a>
        </header>
        <main id="content">${content}</main>
        <footer class="foot">
          <p><strong>Acme Flow</strong> is made up, and so are Acme and its customers.</p>
          <p>
            This is the demo site of Relata. <a href="${sitePath}/inline">The chat as a part of the page</a> ·
            <a href="/docs">The API behind it</a>
          </p>
        </footer>
        ${chat}
      </body>
    </html> `;
}

const mark = html`<svg
  xmlns="http://www.w3.org/2000/svg"
  viewBox="0 0 32 32"
  width="32"
  height="32"
  aria-hidden="true"
  focusable="false"
>
  <rect width="32" height="32" rx="9" fill="#0b6b4f" />
  <path d="M8 22 L14 10 L20 22 M20 22 H25" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" />
  <circle cx="25" cy="22" r="2.5" fill="#f5b83d" />
</svg>`;
