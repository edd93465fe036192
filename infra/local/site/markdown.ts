import { Marked, Renderer } from 'marked';
import { escapeHtml, Html } from './html.ts';

/** Allowed link targets: the web, a mailbox, or, without a scheme, another page of the same site. */
const followable = /^(?:https?:|mailto:|[^:]*(?:$|[/?#]))/i;

const markdown = new Marked({
  renderer: {
    html: ({ text }) => escapeHtml(text),
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${escapeHtml(slugOf(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      return followable.test(href) ? `<a href="${escapeHtml(withoutExtension(href))}">${text}</a>` : text;
    },
    // The site loads nothing from other hosts, and has no pictures of its own.
    image: ({ text }) => escapeHtml(text),
    // A wide table scrolls by itself, so that the page fits the width of a phone.
    table(token) {
      return `<div class="table" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
    },
  },
});

/** Renders a page as HTML. HTML in the page is shown as text, and `javascript:` addresses do not become links. */
export function renderMarkdown(text: string): Html {
  return new Html(markdown.parse(text, { async: false }));
}

function slugOf(text: string): string {
  const dashed = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-');
  return dashed.replace(/^-|-$/g, '');
}

/** Removes `.md` from a link: pages link to the files of other pages, but are served without the extension. */
function withoutExtension(href: string): string {
  return href.replace(/^([^:?#]*)\.md(?=$|[?#])/, '$1');
}
