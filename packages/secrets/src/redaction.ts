const mark = '[secret]';

/**
 * Takes the values of secrets out of what comes back from those they were sent to, also where they were escaped for
 * JSON, HTML or a URL, written in base64, or in other letters. What an expression made of a value (a part of it, say) is
 * not recognized.
 */
export class Redaction {
  readonly #forms: readonly string[];
  readonly #pattern: RegExp | undefined;

  constructor(values: Iterable<string> = []) {
    // Of two forms that begin alike the longer one must be found.
    this.#forms = [...new Set([...values].flatMap(formsOf))].toSorted((a, b) => b.length - a.length);
    if (this.#forms.length > 0) this.#pattern = new RegExp(this.#forms.map(RegExp.escape).join('|'), 'giu');
  }

  holds(text: string): boolean {
    return this.text(text) !== text;
  }

  text(text: string): string {
    return this.#pattern ? text.replaceAll(this.#pattern, mark) : text;
  }

  /** The same for the beginning of a text, which may end in a part of a value. */
  beginning(text: string): string {
    const redacted = this.text(text);
    // The cut may have gone through a character too.
    const whole = fold(redacted).replace(/\ufffd+$/, '');
    const halves = this.#forms.map((form) => overlap(whole, fold(form)));
    const longest = Math.max(0, ...halves);
    return longest === 0 ? redacted : redacted.slice(0, whole.length - longest);
  }

  /** A JSON value with all of its texts and keys redacted, and numbers that are a secret by themselves. */
  json<T>(value: T): T {
    return (this.#pattern ? this.#json(value) : value) as T;
  }

  /** What is said of an error; a stack begins with the message. */
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
    if (typeof value === 'number') return this.#forms.includes(String(value)) ? mark : value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.#json(item));
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [this.text(key), this.#json(member)]));
  }
}

function formsOf(value: string): string[] {
  const encoded = encodeURIComponent(value);
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  const forms = [
    value,
    // What surrounds the value of a header is not sent on.
    value.trim(),
    JSON.stringify(value).slice(1, -1),
    encoded,
    encoded.replaceAll('%20', '+'),
    base64,
    base64.replaceAll('+', '-').replaceAll('/', '_'),
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  ];
  return forms.filter((form) => form !== '');
}

/** In small letters where that keeps the length, so that positions stay true. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

/** How many characters at the end of a text are the beginning of a form, but not all of it. */
function overlap(text: string, form: string): number {
  for (let length = Math.min(form.length - 1, text.length); length > 0; length--)
    if (text.endsWith(form.slice(0, length))) return length;
  return 0;
}
