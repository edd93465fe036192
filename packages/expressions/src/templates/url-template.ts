import { ExpressionError } from '../expression.error.ts';
import type { Part } from './scan-template.ts';

/** The text as one component of a URL: nothing in it ends a segment, a query or the path. */
export function encodeComponent(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/**
 * Puts a URL together from what is written and the values of its expressions, which are percent-encoded. The URL
 * standard reads `.` and `..`, also as `%2e`, as steps through the path, and no encoding hides them from it: a value
 * that would add one is refused.
 */
export function compileUrl(parts: readonly Part[]): (values: readonly string[]) => string {
  const dotSegments = countDotSegments(parts.map((part) => (typeof part === 'string' ? part : 'x')).join(''));
  return (values) => {
    const url = parts.map((part, i) => (typeof part === 'string' ? part : encodeComponent(values[i]!))).join('');
    if (countDotSegments(url) > dotSegments)
      throw new ExpressionError('An expression in a URL must not make "." or ".." of a segment of the path.');
    return url;
  };
}

/** What the URL parser drops before it looks at segments comes only from the literal parts: the rest is encoded. */
function countDotSegments(url: string): number {
  // oxlint-disable-next-line no-control-regex
  const [path = ''] = url.replace(/[\t\n\r]|[\u0000-\u0020]+$/g, '').split(/[?#]/, 1);
  return path.split(/[/\\]/).filter((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)).length;
}

/** What is wrong with where expressions stand in a URL, if anything. */
export function urlTemplateProblem(parts: readonly Part[]): string | undefined {
  const [first] = parts;
  if (parts.length === 1 && typeof first !== 'string') return undefined;
  if (typeof first !== 'string')
    return 'Must begin with http:// or https:// and a host, or be one expression and nothing else.';
  if (parts.length > 1 && /^https?:\/\/[^/?#]*$/i.test(first))
    return 'Must have no expression in its host: write the host and the / after it out.';
  if (!/^https?:\/\/[^/?#\\]/i.test(first)) return 'Must begin with http:// or https:// and a host.';
  const sample = parts.map((part) => (typeof part === 'string' ? part : 'x')).join('');
  return URL.canParse(sample) ? undefined : 'Must be a URL.';
}
