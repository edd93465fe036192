/** One thing that is wrong with a definition. */
export interface Fault {
  /** Where it is, like `steps[1].with.set.email`; empty for the definition as a whole. */
  path: string;
  message: string;
  hint?: string;
  /** Where in the text, both from 1; of a definition that was read from one. */
  line?: number;
  column?: number;
}

/** Faults that are reported. */
export const faultsMax = 200;

/** A definition that breaks the rules, with every rule that it breaks; the first two hundred, should there be more. */
export class DefinitionError extends Error {
  override name = 'DefinitionError';
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    const kept = faults.slice(0, faultsMax);
    super(kept.map(describe).join('\n'));
    this.faults = kept;
  }
}

function describe({ path, message, hint }: Fault): string {
  return [path === '' ? '' : `${path}:`, message, hint ?? ''].filter((part) => part !== '').join(' ');
}

/** A path in the words of JavaScript. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = String(key);
    if (!/^[A-Za-z_][\w-]*$/.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

export function faultAt(path: readonly PropertyKey[], message: string, hint?: string): Fault {
  return { path: pathText(path), message, ...(hint !== undefined && { hint }) };
}
