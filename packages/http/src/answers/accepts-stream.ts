/** How much a range of media types is wanted, and how exactly it names them: 0 for any, 2 for the type itself. */
interface Match {
  quality: number;
  specificity: number;
}

const none: Match = { quality: 0, specificity: -1 };

/**
 * Returns true if a request prefers `text/event-stream` to JSON, by the rules of RFC 9110, 12.5.1. Of equal quality the
 * one counts that is named more exactly, else JSON: any type and a missing header ask for JSON. Where neither is wanted
 * JSON is answered too, as everywhere.
 */
export function acceptsStream(accept: string | undefined): boolean {
  if (accept === undefined || !/text\//i.test(accept)) return false;
  const ranges = elementsOf(accept).map(rangeOf);
  const [stream, json] = [matchOf(ranges, 'text', 'event-stream'), matchOf(ranges, 'application', 'json')];
  if (stream.quality === json.quality) return stream.quality > 0 && stream.specificity > json.specificity;
  return stream.quality > json.quality;
}

/** The parts between commas that stand in no quoted string. One pass: a header has up to 16 KB. */
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

/** Parameters but `q` count for nothing: neither type has any. */
function rangeOf(element: string): Range {
  const [name = '', ...parameters] = element.split(';');
  const [type = '', subtype = ''] = name.trim().toLowerCase().split('/');
  return { type, subtype, quality: qualityOf(parameters) };
}

/** A quality that is none leaves its range out. */
function qualityOf(parameters: readonly string[]): number {
  const given = parameters.map((parameter) => parameter.trim()).find((parameter) => /^q=/i.test(parameter));
  if (given === undefined) return 1;
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i.test(given) ? Number(given.slice(2)) : 0;
}

/** What the most exact of the ranges says of a type. */
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
