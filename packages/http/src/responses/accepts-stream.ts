/** Quality of a media type, and specificity of the matching range: from 0 (any type) to 2 (the exact type). */
interface Match {
  quality: number;
  specificity: number;
}

const none: Match = { quality: 0, specificity: -1 };

/**
 * Returns true if a request prefers `text/event-stream` to JSON, by RFC 9110, 12.5.1. At equal quality the type with
 * the more specific range wins, otherwise JSON: a range for any type and a missing header select JSON. If neither type
 * is acceptable, the response is JSON too.
 */
export function acceptsStream(accept: string | undefined): boolean {
  if (accept === undefined || !/text\//i.test(accept)) return false;
  const ranges = elementsOf(accept).map(rangeOf);
  const [stream, json] = [matchOf(ranges, 'text', 'event-stream'), matchOf(ranges, 'application', 'json')];
  if (stream.quality === json.quality) return stream.quality > 0 && stream.specificity > json.specificity;
  return stream.quality > json.quality;
}

/** Splits at commas outside of quoted strings. It needs a single pass, since a header may be 16 KB long. */
function elementsOf(accept: string): string[] {
  const elements: string[] = [];
  let [start, isQuoted] = [0, false];
  for (let at = 0; at < accept.length; at++) {
    const character = accept[at];
    if (character === '\\' && isQuoted) at++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === ',' && !isQuoted) {
      elements.push(accept.slice(start, at));
      start = at + 1;
    }
  }
  return [...elements, accept.slice(start)];
}

interface Range {
  type: string;
  subtype: string;
  quality: number;
}

/** Reads a media range. Parameters other than `q` are ignored, since neither type has any. */
function rangeOf(element: string): Range {
  const [name = '', ...parameters] = element.split(';');
  const [type = '', subtype = ''] = name.trim().toLowerCase().split('/');
  return { type, subtype, quality: qualityOf(parameters) };
}

/** Returns the quality of a range; 0, which excludes the range, if it is malformed. */
function qualityOf(parameters: readonly string[]): number {
  const given = parameters.map((parameter) => parameter.trim()).find((parameter) => /^q=/i.test(parameter));
  if (given === undefined) return 1;
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i.test(given) ? Number(given.slice(2)) : 0;
}

/** Returns the quality and specificity of the most specific range that matches a type. */
function matchOf(ranges: readonly Range[], type: string, subtype: string): Match {
  return ranges.reduce((best, range) => {
    const specificity = specificityOf(range, type, subtype);
    return specificity > best.specificity ? { quality: range.quality, specificity } : best;
  }, none);
}

function specificityOf(range: Range, type: string, subtype: string): number {
  if (range.type === type && range.subtype === subtype) return 2;
  if (range.type === type && range.subtype === '*') return 1;
  return range.type === '*' && range.subtype === '*' ? 0 : -1;
}
