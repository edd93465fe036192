import type { Key } from '../../ui/text/json.ts';

/**
 * Resolves a path in the same way as the mapping of an input: a key that contains dots has precedence over a nested
 * path of the same name, and a longer key over a shorter one.
 */
export class DottedKeys {
  readonly #known = new Map<object, readonly string[]>();

  /** Returns true if a path such as `payload.user.email` resolves to these keys, starting at the root. */
  leadsTo(root: unknown, path: string, keys: readonly Key[]): boolean {
    const found = this.#find(root, path, path.indexOf('.') + 1 || path.length + 1);
    return found?.length === keys.length && keys.every((key, at) => String(key) === found[at]);
  }

  #find(value: unknown, path: string, at: number): string[] | undefined {
    if (at > path.length) return [];
    if (typeof value !== 'object' || value === null) return undefined;
    for (const key of this.#next(value, path, at)) {
      const rest = this.#find((value as Record<string, unknown>)[key], path, at + key.length + 1);
      if (rest) return [key, ...rest];
    }
    return undefined;
  }

  #next(value: object, path: string, at: number): string[] {
    const end = path.indexOf('.', at);
    const plain = path.slice(at, end === -1 ? undefined : end);
    const isNext = (key: string) => path.startsWith(key, at) && [undefined, '.'].includes(path[at + key.length]);
    return [...this.#of(value).filter(isNext), ...(Object.hasOwn(value, plain) ? [plain] : [])];
  }

  #of(value: object): readonly string[] {
    const known = this.#known.get(value);
    if (known) return known;
    const keys = Array.isArray(value) ? [] : Object.keys(value).filter((key) => key.includes('.'));
    const found = keys.toSorted((one, other) => other.length - one.length);
    this.#known.set(value, found);
    return found;
  }
}
