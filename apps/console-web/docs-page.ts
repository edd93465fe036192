import { Marked, Renderer } from 'marked';

/** Creates the reader of a page at `path`. Pages of the documentation that are not served lose their links. */
function markdownAt(path: string, served: readonly string[]): Marked {
  const resolve = (href: string) => {
    if (/^(?:https:|#)/.test(href)) return href;
    const { pathname, hash } = new URL(href, `file:///${path}`);
    const page = pathname.slice(1);
    return served.includes(page) ? `/console/${page.replace(/\.md$/, '.html')}${hash}` : undefined;
  };
  return new Marked({
    renderer: {
      html: ({ text }) => (text.startsWith('<!--') ? '' : escapeHtml(text)),
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${slugOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = resolve(href);
        return target === undefined ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
      },
      // Both may be wider than a phone, and are scrolled by keys too.
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
      table(token) {
        return `<div class="table" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
      },
    },
  });
}

/**
 * Creates a separate page from the Markdown of a path in the repository; `served` are the paths of all pages. Without
 * scripts and inline styles, which the console's policy refuses.
 */
export function docsPage(path: string, text: string, served: readonly string[]): string {
  const [, title = path] = /^# (.*)$/m.exec(text) ?? [];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Relata</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console/docs/docs.css">
</head>
<body>
<main class="docs">
${markdownAt(path, served).parse(text, { async: false })}</main>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
