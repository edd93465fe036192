/** Makes bodies that must be refused. They are as large as an app reads, and as slow to check as possible. */
export class RefusedBody {
  readonly #bytes: number;

  /** `bytes` is the approximate size of each body. */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Returns a body with a syntax error: only the last character is missing. */
  syntax(before: string): Buffer {
    return this.#repeated(`{${before}"list":[1`, ',1', '');
  }

  /** Returns a body with 160,000 levels, or as many as fit. */
  levels(before: string, name: string): Buffer {
    const levels = Math.min(160_000, Math.floor(this.#bytes / 2) - 100);
    return Buffer.from(`{${before}"${name}":${'['.repeat(levels)}${']'.repeat(levels)}}`);
  }

  /** Returns a body with as many fields as fit, all with different names. */
  fields(before: string, after = '}'): Buffer {
    const fields: string[] = [];
    for (let bytes = 0; bytes < this.#bytes - 200; bytes += fields.at(-1)!.length + 1)
      fields.push(`"k${fields.length}":0`);
    return Buffer.from(`{${before}${fields.join()}${after}`);
  }

  /** Returns a body with a list of as many equal items as fit. */
  list(before: string, item: string, after: string): Buffer {
    return this.#repeated(`{${before}[${item}`, `,${item}`, `]${after}`);
  }

  /** Returns a body with a list of objects, each with different names. */
  distinct(before: string, count: number, after: string): Buffer {
    const each = Math.floor(this.#bytes / count / 13);
    const objectAt = (at: number) => `{${Array.from({ length: each }, (_, i) => `"k${at}_${i}":0`).join()}}`;
    return Buffer.from(`{${before}[${Array.from({ length: count }, (_, at) => objectAt(at)).join()}]${after}`);
  }

  text(): Buffer {
    return Buffer.from(JSON.stringify({ text: 'x'.repeat(this.#bytes - 100) }));
  }

  /** Returns a body that is larger than an app reads. */
  tooLarge(): Buffer {
    return Buffer.concat([this.text(), this.text()]);
  }

  #repeated(before: string, item: string, after: string): Buffer {
    const count = Math.floor((this.#bytes - before.length - after.length) / item.length);
    return Buffer.from(before + item.repeat(count) + after);
  }
}
