import type { MarkedToken, Token, Tokens } from 'marked';
import { resolveReferences } from './character-references.ts';
import { lexMarkdown } from './markdown-lexer.ts';
import { depthMax } from './tokens.ts';

/** Returns a Markdown text for a screen reader: without markup, addresses and citations. */
export function plainText(text: string): string {
  return spoken(lexMarkdown(text))
    .replaceAll(/[ \t]*\[\d{1,3}\]/g, '')
    .trim();
}

const lineKinds = new Set(['paragraph', 'heading', 'code', 'list_item', 'blockquote', 'space']);

function spoken(tokens: readonly Token[], depth = 0): string {
  return tokens.map((token) => (depth > depthMax ? token.raw : spokenToken(token as MarkedToken, depth + 1))).join('');
}

function spokenToken(token: MarkedToken, depth: number): string {
  if (token.type === 'table') return spokenTable(token, depth);
  const inner = token.type === 'list' ? token.items : 'tokens' in token ? token.tokens : undefined;
  const text = inner ? spoken(inner, depth) : 'text' in token ? resolveReferences(token.text) : '';
  return lineKinds.has(token.type) ? `${text}\n` : text;
}

function spokenTable({ header, rows }: Tokens.Table, depth: number): string {
  const line = (cells: Tokens.TableCell[]) => cells.map(({ tokens }) => spoken(tokens, depth)).join(', ');
  return [header, ...rows].map((cells) => `${line(cells)}\n`).join('');
}
