import type { ASTNode, Environment, ParseError, TypeError as CelTypeError } from '@marcbachmann/cel-js';
import type { ExpressionProblem } from '../expression.error.ts';

/** A replacement for a part of the source that cel-js checks too strictly. It applies only to the check. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

type CelError = ParseError | CelTypeError;

/**
 * Returns the type of an expression, or the problem that the check found. The type is `dyn` if it is only known when
 * the expression runs.
 */
export function checkTypes(source: string, node: ASTNode, types: Environment): string | ExpressionProblem {
  const edits = editsOf(node).toSorted((a, b) => a.start - b.start);
  const shown = edits.reduceRight(
    (text, { start, end, text: by }) => text.slice(0, start) + by + text.slice(end),
    source,
  );
  const result = types.check(shown);
  if (result.valid) return result.type!;
  return toProblem(source, result.error!, edits);
}

/**
 * Returns edits that relax the checks of cel-js. cel-js lets `null` be compared only with null, but any value may be
 * missing. In `has` it accepts only names, but a path may contain an index.
 */
function editsOf(node: ASTNode): Edit[] {
  const { start, end } = node;
  if (node.op === 'value') return node.args === null ? [{ start, end, text: 'dyn(null)' }] : [];
  if (node.op === 'call' && node.args[0] === 'has') return [{ start, end, text: '(true)' }];
  return childNodes(node).flatMap(editsOf);
}

export function childNodes({ args }: ASTNode): ASTNode[] {
  const all: readonly unknown[] = Array.isArray(args) ? (args as unknown[]).flat(2) : [args];
  return all.filter((arg): arg is ASTNode => typeof arg === 'object' && arg !== null && 'op' in arg);
}

const symbols: Readonly<Record<string, string>> = {
  EOF: 'the end',
  LPAREN: '(',
  RPAREN: ')',
  LBRACKET: '[',
  RBRACKET: ']',
  LBRACE: '{',
  RBRACE: '}',
  DOT: '.',
  COMMA: ',',
  COLON: ':',
  QUESTION: '?',
  IDENTIFIER: 'a name',
};

/** Converts a fault of cel-js to a problem, with its position in the source as written. */
export function toProblem(source: string, fault: CelError, edits: readonly Edit[] = []): ExpressionProblem {
  const words = fault.summary
    .replace(/^Exceeded max(AstNodes|Depth) .*/, 'The expression is too large')
    .replace(/^Exceeded max.*/, 'A list, an object or a call in the expression has too many parts')
    .replace(/\b[A-Z]{3,}\b/g, (token) => symbols[token] ?? token.toLowerCase())
    .replaceAll('$inputs', 'inputs')
    .replaceAll(/\bdouble\b/g, 'number')
    .replace(/^no such/, 'No such');
  const message = `${words}${fault.range === undefined ? '' : ` (${placeOf(source, fault.range.start, edits)})`}.`;
  return { message, hint: hintFor(fault.summary) };
}

function hintFor(summary: string): string | undefined {
  if (summary.startsWith('Ternary branches')) return 'If this is intended, wrap one of them in dyn(…).';
  return summary === 'Unexpected character: =' ? 'Did you mean ==?' : undefined;
}

function placeOf(source: string, shownPosition: number, edits: readonly Edit[]): string {
  let position = shownPosition;
  for (const { start, end, text } of edits) if (start < position) position -= text.length - (end - start);
  const lines = source.slice(0, Math.max(0, position)).split('\n');
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
}
