import type { Trigger } from '../../api/types.ts';
import { parseJson } from '../../ui/text/json.ts';

export type Mapping = Trigger['assignments'][number]['inputs'];
type Source = Mapping[string];

/** Text in the field of an input: a path, or `= "website"` for a constant. */
export function textOfSource(from: Source): string {
  return typeof from === 'string' ? from : `= ${JSON.stringify(from.const)}`;
}

/** Reads such a text; undefined for an empty one. Behind `=` stands JSON, or else a text as it is. */
export function sourceOfText(text: string): Source | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  return trimmed.startsWith('=') ? { const: constantOf(trimmed.slice(1).trim()) } : trimmed;
}

function constantOf(text: string): unknown {
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

/** `--input email=payload.user.email`, as the tool takes it; JSON of a constant behind `:=`. */
export function inputOptions(mapping: Mapping): string[] {
  return Object.entries(mapping).flatMap(([input, from]) => [
    '--input',
    typeof from === 'string' ? `${input}=${from}` : `${input}:=${JSON.stringify(from.const)}`,
  ]);
}
