/** A text without its escapes, with a map from its indices to those of the original text. */
export interface Decoded {
  text: string;
  /** Returns the index in the original text. */
  placeOf(index: number): number;
}

/**
 * Matches escapes of JSON and JavaScript, of URLs and of HTML. Each stands for one character, except a run of `%`
 * bytes, so that one pass finds a value, whichever characters of it are escaped.
 */
export const escapes =
  /\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[^ux])|(?:%[0-9a-f]{2})+|&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#x[0-9a-f]{1,6});/gi;

/** Matches replacement characters (U+FFFD) at the end of a text cut within a character: at most one per byte. */
export const cutCharacter = /\ufffd{1,3}$/;

/** Matches an escape at the end of a text that may have been cut. A run of `%` bytes may begin a character. */
export const cutEscape =
  /(?:\\(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?|%[c-f][0-9a-f](?:%[89ab][0-9a-f]){0,3}(?:%[89ab]?)?|%[0-9a-f]?|&(?:[a-z]{0,5}|#\d{0,7}|#x[0-9a-f]{0,6}))$/i;

const letters: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', '0': '\0' };
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Returns a text with its escapes decoded; undefined if it has none. Takes linear time. */
export function decode(text: string): Decoded | undefined {
  if (!/[\\%&]/.test(text)) return undefined;
  // Corresponding indices at which the offset between the texts may change: `starts` in the decoded text, `places` in
  // the original.
  const [starts, places]: [number[], number[]] = [[0], [0]];
  const parts: string[] = [];
  let [length, end] = [0, 0];
  for (const { 0: escape, index } of text.matchAll(escapes)) {
    parts.push(text.slice(end, index));
    length += index - end;
    for (const { character, at } of charactersOf(escape)) {
      starts.push(length);
      places.push(index + at);
      parts.push(character);
      length += character.length;
    }
    end = index + escape.length;
    starts.push(length);
    places.push(end);
  }
  if (end === 0) return undefined;
  parts.push(text.slice(end));
  return { text: parts.join(''), placeOf: (index) => placeIn(starts, places, index) };
}

/** Maps an index to the original text, by a binary search for the last change of the offset. */
function placeIn(starts: readonly number[], places: readonly number[], index: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= index) low = middle;
    else high = middle - 1;
  }
  return places[low]! + index - starts[low]!;
}

interface Character {
  character: string;
  /** Index in the escape at which the character begins. */
  at: number;
}

function charactersOf(escape: string): Character[] {
  if (escape.startsWith('%')) return bytesOf(escape);
  return [{ character: escape.startsWith('\\') ? escapedBy(escape.slice(1)) : entityOf(escape.slice(1, -1)), at: 0 }];
}

const escapedBy = (rest: string) =>
  rest.length > 1 ? String.fromCharCode(Number.parseInt(rest.slice(1), 16)) : (letters[rest] ?? rest);

function entityOf(name: string): string {
  if (!name.startsWith('#')) return entities[name.toLowerCase()]!;
  const isHex = /^#x/i.test(name);
  const code = Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}

/** Reads bytes as UTF-8, and any byte that is not UTF-8 as Latin-1. */
function bytesOf(escape: string): Character[] {
  const bytes = Buffer.from(escape.replaceAll('%', ''), 'hex');
  const characters: Character[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = lengthOf(bytes[at]!);
    const read = bytes.toString('utf8', at, at + length);
    const isUtf8 = !read.includes('\ufffd');
    characters.push({ character: isUtf8 ? read : String.fromCharCode(bytes[at]!), at: at * 3 });
    at += isUtf8 ? length : 1;
  }
  return characters;
}

/** Returns the length of a UTF-8 character by its first byte. */
const lengthOf = (byte: number) => (byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4);
