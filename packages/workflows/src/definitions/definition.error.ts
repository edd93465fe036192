export type Path = readonly PropertyKey[];

export interface DefinitionFault {
  /** Path of the fault, like `steps[1].with.set.email`; empty for the definition as a whole. */
  path: string;
  message: string;
  hint?: string;
  /** Position in the text, counted from 1. Undefined if the definition was not read from text. */
  line?: number;
  column?: number;
}

export const faultsMax = 200;

/** An invalid definition, with its first 200 faults. */
export class DefinitionError extends Error {
  override name = 'DefinitionError';
  readonly faults: readonly DefinitionFault[];

  constructor(faults: readonly DefinitionFault[]) {
    const kept = faults.slice(0, faultsMax);
    super(kept.map(describe).join('\n'));
    this.faults = kept;
  }
}

function describe({ path, message, hint }: DefinitionFault): string {
  return [path === '' ? '' : `${path}:`, message, hint ?? ''].filter((part) => part !== '').join(' ');
}

/** Formats a path as JavaScript writes it, like `steps[1].with`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = String(key);
    if (!/^[A-Za-z_][\w-]*$/.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

export function faultAt(path: Path, message: string, hint?: string): DefinitionFault {
  return { path: pathText(path), message, ...(hint !== undefined && { hint }) };
}
