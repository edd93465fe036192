import type { Trigger } from '../../api/types.ts';
import { parseJson } from '../../ui/text/json.ts';

export type Mapping = Trigger['assignments'][number]['inputs'];
type Source = Mapping[string];

/** Returns the text for the field of an input: a path, or `= "website"` for a constant. */
export function textOfSource(from: Source): string {
  return typeof from === 'string' ? from : `= ${JSON.stringify(from.const)}`;
}

/**
 * Parses the text of an input's field: a path, or `=` and a constant as JSON or plain text. Undefined if empty. White
 * space at the end of a path stays, because column titles of form tools may end with it.
 */
export function sourceOfText(text: string): Source | undefined {
  const begun = text.trimStart();
  if (begun === '') return undefined;
  return begun.startsWith('=') ? { const: constantOf(begun.slice(1).trim()) } : begun;
}

function constantOf(text: string): unknown {
  // Stays a string, because a number of this size would lose digits.
  if (/^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text))) return text;
  const json = parseJson(text);
  return json ? json.value : text;
}

export function toMapping(texts: Readonly<Record<string, string>>): Mapping {
  const mapped = Object.entries(texts).flatMap(([input, text]) => {
    const from = sourceOfText(text);
    return from === undefined ? [] : [[input, from] as const];
  });
  return Object.fromEntries(mapped);
}

/** Returns the options for the CLI: `--input email=payload.user.email`, or `:=` and JSON for a constant. */
export function inputOptions(mapping: Mapping): string[] {
  return Object.entries(mapping).flatMap(([input, from]) => [
    '--input',
    typeof from === 'string' ? `${input}=${from}` : `${input}:=${JSON.stringify(from.const)}`,
  ]);
}
