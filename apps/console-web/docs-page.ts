import { Marked, Renderer } from 'marked';

const markdown = new Marked({
  renderer: {
    html: ({ text }) => escapeHtml(text),
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${slugOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      // Other pages of the documentation are not part of the console.
      return /^(?:https:|#)/.test(href) ? `<a href="${escapeHtml(href)}">${text}</a>` : text;
    },
    // Both may be wider than a phone, and are scrolled by keys too.
    code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    table(token) {
      return `<div class="table" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
    },
  },
});

/** Creates a separate page from Markdown. Without scripts and inline styles, which the console's policy refuses. */
export function docsPage(title: string, text: string): string {
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
${markdown.parse(text, { async: false })}</main>
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
