import { cutCharacter, cutEscape, decode, type Decoded } from './decoded.ts';

const mark = '[secret]';

/** Maximum levels of nested escapes, such as HTML in JSON. */
const levelsMax = 3;
/** Minimum length of a derived form: a shorter one occurs in texts that have nothing to do with the secret. */
const derivedCharsMin = 6;

/** Start and end of a part of a text; the end is excluded. */
type Range = [start: number, end: number];

/**
 * Removes the values of secrets from data that other systems return after receiving them. Also finds values with some
 * or all characters escaped for JSON, HTML or a URL, in base64 (alone or after a name, as in `user:password`), or in
 * another case. Does not recognize what an expression derives from a value, such as a part of it.
 */
export class Redaction {
  readonly #values: ReadonlySet<string>;
  readonly #forms: readonly string[];
  readonly #pattern: RegExp | undefined;

  constructor(values: Iterable<string> = []) {
    this.#values = new Set(values);
    // Longer forms come first: of two forms with the same beginning the longer one must be found.
    const forms = [...this.#values].flatMap(formsOf).toSorted((a, b) => b.length - a.length);
    this.#forms = [...new Set(forms)];
    if (this.#forms.length > 0) this.#pattern = new RegExp(this.#forms.map(RegExp.escape).join('|'), 'g');
  }

  holds(text: string): boolean {
    return this.#find(text).length > 0;
  }

  text(text: string): string {
    return withMarks(text, this.#find(text));
  }

  /** Like `text`, for the beginning of a text, which may end within a value. */
  beginning(text: string): string {
    if (!this.#pattern) return text;
    const found = this.#find(text);
    const cutAt = this.#findCut(text);
    // The beginning of one value may be another complete value.
    if (found.some(([, end]) => end > cutAt)) return withMarks(text, merged([...found, [cutAt, text.length]]));
    return withMarks(text.slice(0, cutAt), found);
  }

  /** Redacts all texts and keys of a JSON value, and numbers that are a secret by themselves. */
  json<T>(value: T): T {
    return (this.#pattern ? this.#json(value) : value) as T;
  }

  /** Redacts an error in place: its message, stack and cause. A stack begins with the message. */
  error<E>(error: E): E {
    if (!this.#pattern || !(error instanceof Error)) return error;
    // Some errors have a message that cannot be assigned.
    Reflect.defineProperty(error, 'message', { value: this.text(error.message), configurable: true, writable: true });
    if (error.stack !== undefined) error.stack = this.text(error.stack);
    this.error(error.cause);
    return error;
  }

  #json(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') return this.#values.has(String(value)) ? mark : value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.#json(item));
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [this.text(key), this.#json(member)]));
  }

  /** Finds all values, ordered by position. */
  #find(text: string): Range[] {
    const pattern = this.#pattern;
    if (!pattern) return [];
    const ranges = decodings(text).flatMap((level) =>
      Array.from(fold(level.text).matchAll(pattern), ({ 0: form, index }): Range => [
        level.placeOf(index),
        level.placeOf(index + form.length),
      ]),
    );
    return merged(ranges);
  }

  /** Finds the index from which the rest of the text may be the beginning of a value. */
  #findCut(text: string): number {
    // The text may have been cut within a character or an escape.
    const whole = text.replace(cutCharacter, '').replace(cutEscape, '');
    const places = decodings(whole).map((level) => {
      const folded = fold(level.text.replace(cutEscape, ''));
      const halves = this.#forms.map((form) => overlap(folded, form));
      return level.placeOf(folded.length - Math.max(...halves));
    });
    return Math.min(...places);
  }
}

/** Returns a text unchanged, decoded once, decoded twice, and so on up to `levelsMax` times. */
function decodings(text: string): Decoded[] {
  const levels: Decoded[] = [{ text, placeOf: (index) => index }];
  while (levels.length <= levelsMax) {
    const outer = levels.at(-1)!;
    const inner = decode(outer.text);
    if (!inner) break;
    levels.push({ text: inner.text, placeOf: (index) => outer.placeOf(inner.placeOf(index)) });
  }
  return levels;
}

function merged(ranges: readonly Range[]): Range[] {
  const whole: Range[] = [];
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = whole.at(-1);
    // Two adjacent values get two marks.
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else whole.push([start, end]);
  }
  return whole;
}

function withMarks(text: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return text;
  const kept = ranges.map(([start], at) => text.slice(ranges[at - 1]?.[1] ?? 0, start));
  return [...kept, text.slice(ranges.at(-1)![1])].join(mark);
}

/** Returns the folded forms in which a value is searched for. */
function formsOf(value: string): string[] {
  const decoded = decodings(value).map(({ text }) => text);
  const longEnough = [...decoded, ...base64Of(value)].filter(({ length }) => length >= derivedCharsMin);
  const alone = Buffer.from(value).toString('base64').replace(/=+$/, '');
  // HTTP does not transfer white space around the value of a header.
  const forms = [value, value.trim(), ...inUrls(alone), ...longEnough];
  return forms.map(fold).filter((form) => form !== '');
}

/** Returns the three base64 forms that a value can have after another text, depending on the length of that text. */
function base64Of(value: string): string[] {
  return [0, 2, 3].flatMap((skipped, before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    // The letters at both ends contain bits of the surrounding text.
    return inUrls(bytes.toString('base64').slice(skipped, Math.floor((bytes.length * 4) / 3)));
  });
}

const inUrls = (base64: string) => [base64, base64.replaceAll('+', '-').replaceAll('/', '_')];

/**
 * Returns a text in lower case and of the same length: the one letter whose lower-case form has two characters is not
 * converted. Reads `+` as a space, as in web forms.
 */
function fold(text: string): string {
  const lower = text.includes(dottedI) ? text.split(dottedI).map(lowered).join(dottedI) : lowered(text);
  return lower.replaceAll('+', ' ');
}

const dottedI = '\u0130';
/** Converts to lower case. A final sigma becomes an ordinary sigma. */
const lowered = (text: string) => text.toLowerCase().replaceAll('\u03c2', '\u03c3');

/** Returns the length of the longest incomplete form at the end of the text. */
function overlap(text: string, form: string): number {
  for (let length = Math.min(form.length - 1, text.length); length > 0; length--)
    if (text.endsWith(form.slice(0, length))) return length;
  return 0;
}
