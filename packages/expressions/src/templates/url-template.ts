import { ExpressionError } from '../expression.error.ts';
import type { Part } from './scan-template.ts';

/** Encodes a string as one component of a URL, so that it cannot end a path segment or a query parameter. */
export function encodeComponent(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/**
 * Compiles a URL from literal parts and the percent-encoded values of its expressions. URL parsers resolve the segments
 * `.` and `..`, even if they are encoded as `%2e`. A value that would add such a segment is therefore refused.
 */
export function compileUrl(parts: readonly Part[]): (values: readonly string[]) => string {
  const dotSegments = countDotSegments(parts.map((part) => (typeof part === 'string' ? part : 'x')).join(''));
  return (values) => {
    const url = parts.map((part, i) => (typeof part === 'string' ? part : encodeComponent(values[i]!))).join('');
    if (countDotSegments(url) > dotSegments)
      throw new ExpressionError('An expression in a URL must not produce a path segment "." or "..".');
    return url;
  };
}

/**
 * Counts the segments `.` and `..`, after removing characters that URL parsers ignore. Only the literal parts can
 * contain such characters, because values are encoded.
 */
function countDotSegments(url: string): number {
  // oxlint-disable-next-line no-control-regex
  const [path = ''] = url.replace(/[\t\n\r]|[\u0000-\u0020]+$/g, '').split(/[?#]/, 1);
  return path.split(/[/\\]/).filter((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)).length;
}

/** Returns the problem of a URL with expressions, such as an expression in its host; otherwise undefined. */
export function urlTemplateProblem(parts: readonly Part[]): string | undefined {
  const [first] = parts;
  if (parts.length === 1 && typeof first !== 'string') return undefined;
  if (typeof first !== 'string')
    return 'Must begin with http:// or https:// and a host, or be one expression and nothing else.';
  if (parts.length > 1 && /^https?:\/\/[^/?#]*$/i.test(first))
    return 'Must have no expression in its host. Write the host and the / after it as text.';
  if (!/^https?:\/\/[^/?#\\]/i.test(first)) return 'Must begin with http:// or https:// and a host.';
  const sample = parts.map((part) => (typeof part === 'string' ? part : 'x')).join('');
  return URL.canParse(sample) ? undefined : 'Must be a URL.';
}
