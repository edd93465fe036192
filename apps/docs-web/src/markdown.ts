import { Marked, Renderer, type Tokens } from 'marked';
import type { Resolve } from './links.ts';
import { type Page, plain } from './pages.ts';

/** Section of a page, from one heading to the next. Each section is an entry of the search index. */
export interface PagePart {
  /** Id of its heading; empty for the beginning of the page. */
  anchor: string;
  title: string;
  depth: number;
  text: string;
}

export interface RenderedPage {
  html: string;
  parts: PagePart[];
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character]!);

/** Returns the id of a heading, as GitHub makes it. */
export function slugOf(heading: string): string {
  return plain(heading)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

const labels: Record<string, string> = { sh: 'curl', ts: 'TypeScript', python: 'Python' };

/**
 * Renders the Markdown of a page, without scripts and inline styles. Replaces a comment `<!-- try ID -->` with the form
 * in `forms` that tries this operation, and removes other comments.
 */
export function renderPage(page: Page, resolve: Resolve, forms: ReadonlyMap<string, string> = new Map()): RenderedPage {
  const parts: PagePart[] = [{ anchor: '', title: page.title, depth: 1, text: '' }];
  const used = new Map<string, number>();
  const idOf = (heading: string) => {
    const slug = slugOf(heading);
    const before = used.get(slug) ?? 0;
    used.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  };
  const marked = new Marked({
    renderer: {
      html: ({ text }) => {
        const [, operation] = /^<!-- try (\w+) -->/.exec(text) ?? [];
        return operation === undefined
          ? text.startsWith('<!--')
            ? ''
            : escapeHtml(text)
          : (forms.get(operation) ?? '');
      },
      heading({ tokens, depth, text }) {
        const inner = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${inner}</h1>\n`;
        const id = idOf(text);
        parts.push({ anchor: id, title: plain(text), depth, text: '' });
        return `<h${depth} id="${id}">${inner} <a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(plain(text))}">#</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = resolve(href, page);
        if (target === undefined) return text;
        const away = /^https?:/.test(target) ? ' rel="noreferrer"' : '';
        return `<a href="${escapeHtml(target)}"${away}>${text}</a>`;
      },
      image: ({ text }) => escapeHtml(text),
      // Code and tables may be wider than a phone. With a tabindex they can be scrolled by keyboard, too.
      code: codeBlock,
      table(token) {
        return `<div class="table" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
      },
    },
  });
  const html = marked.parse(page.markdown, { async: false });
  collectTexts(page, parts);
  return { html, parts };
}

/** Sets the texts of the parts. Leaves out the delimiter rows of tables and the targets of links. */
function collectTexts({ markdown }: Page, parts: PagePart[]): void {
  const pieces = withoutFences(markdown).split(/^#{1,6} .*$/m);
  // Skips the text before the title, which is not shown.
  pieces.slice(1).forEach((piece, at) => {
    const part = parts[at];
    if (part) part.text = readable(piece);
  });
}

/**
 * Removes the fences of code blocks. Indents lines of code that begin with `#`, so that they do not count as headings.
 */
const withoutFences = (markdown: string) =>
  markdown.replaceAll(/^```[^]*?^```/gm, (block) => block.replaceAll(/^#/gm, ' #').replaceAll(/^```\w*$/gm, ''));

const readable = (text: string) =>
  plain(text.replaceAll(/<!--[^]*?-->/g, ''))
    .replaceAll(/\|[-:| ]+\|\n/g, '')
    .replaceAll(/[|\s]+/g, ' ')
    .trim();

function codeBlock({ text, lang = '' }: Tokens.Code): string {
  const language = labels[lang] === undefined ? '' : ` data-language="${labels[lang]}"`;
  return `<pre tabindex="0"${language}><code>${escapeHtml(text)}</code></pre>\n`;
}
