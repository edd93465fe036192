/** A part of a string with expressions: literal text, or the source of an expression. */
export type Part = string | { readonly source: string };

export const opening = '${{';

export function hasExpression(text: string): boolean {
  return text.includes(opening);
}

/** Splits a string into its parts; returns undefined if an expression is not closed. */
export function scanTemplate(text: string): Part[] | undefined {
  const parts: Part[] = [];
  let position = 0;
  for (;;) {
    const start = text.indexOf(opening, position);
    if (start > position || start < 0) parts.push(text.slice(position, start < 0 ? undefined : start));
    if (start < 0) return parts.filter((part) => part !== '');
    const end = findEnd(text, start + opening.length);
    if (end === undefined) return undefined;
    parts.push({ source: text.slice(start + opening.length, end) });
    position = end + 2;
  }
}

/** Matches a CEL string with its quotes, a comment, a brace, or any other character. */
const token =
  /[rR]?"""[^]*?"""|[rR]?'''[^]*?'''|[rR]"[^"]*"|[rR]'[^']*'|"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|\/\/[^\n]*|[{}]|[^]/y;

/** Finds the `}}` that ends the expression, ignoring any within objects, strings and comments. */
function findEnd(text: string, start: number): number | undefined {
  let depth = 0;
  token.lastIndex = start;
  for (;;) {
    const at = token.lastIndex;
    const [found] = token.exec(text) ?? [];
    if (found === undefined) return undefined;
    if (found === '}' && depth === 0) return text[at + 1] === '}' ? at : undefined;
    if (found === '{') depth++;
    if (found === '}') depth--;
  }
}
