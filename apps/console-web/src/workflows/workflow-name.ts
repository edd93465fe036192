import { parseJson } from '../ui/text/json.ts';
import { definitionText } from './definition-text.ts';

/** Returns the name in a definition; undefined if the text has none yet. */
export function nameIn(text: string): string | undefined {
  const name = objectIn(text)?.['name'];
  return typeof name === 'string' ? name : undefined;
}

/** Returns a name that is not taken: the name without its number, with the lowest free number from 2. */
export function freeName(name: string, taken: readonly string[]): string {
  const base = name.replace(/-\d+$/, '');
  for (let number = 2; ; number++) if (!taken.includes(`${base}-${number}`)) return `${base}-${number}`;
}

/** Replaces the name. If the name cannot be replaced in the text, formats the whole definition again. */
export function withName(text: string, name: string): string {
  const changed = text.replace(
    /("name"\s*:\s*)"(?:[^"\\]|\\.)*"/,
    (_, before: string) => before + JSON.stringify(name),
  );
  return nameIn(changed) === name ? changed : definitionText({ ...objectIn(text), name });
}

function objectIn(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text)?.value;
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}
