import { parse } from 'node:querystring';

/** Returns the query parameters of a URL. A repeated parameter has a list of values. */
export function queryOf(url: string): Record<string, unknown> {
  const start = url.indexOf('?');
  // By default Node drops parameters after the first thousand. No limit is needed, since the length of a URL is
  // bounded.
  return start < 0 ? {} : parse(url.slice(start + 1), '&', '=', { maxKeys: 0 });
}
