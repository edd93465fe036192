import type { Trigger } from '../../api/types.ts';
import { type Mapping, toMapping, textOfSource } from './source-text.ts';

type Assignment = Trigger['assignments'][number];

export interface Draft {
  texts: Readonly<Record<string, string>>;
  filter: string;
}

/**
 * A person's unsaved changes. Everything else follows the saved assignment, which somebody else may change meanwhile.
 */
export interface Edits {
  texts?: Draft['texts'];
  filter?: string;
}

export function withEdits(draft: Draft, { texts, filter = draft.filter }: Edits): Draft {
  return { texts: { ...draft.texts, ...texts }, filter };
}

/** Adds newer edits to earlier ones. */
export function mergeEdits(earlier: Edits, newer: Edits): Edits {
  return { ...earlier, ...newer, texts: { ...earlier.texts, ...newer.texts } };
}

/** Returns the edits that a saved draft does not contain. */
export function editsBeyond({ texts: saved, filter: savedFilter }: Draft, { texts = {}, filter }: Edits): Edits {
  const more = Object.entries(texts).filter(([input, text]) => text !== (saved[input] ?? ''));
  return { texts: Object.fromEntries(more), ...(filter !== undefined && filter !== savedFilter && { filter }) };
}

export function toDraft(assignment: Assignment | undefined): Draft {
  const entries = Object.entries(assignment?.inputs ?? {}).map(([input, from]) => [input, textOfSource(from)] as const);
  return { texts: Object.fromEntries(entries), filter: assignment?.filter ?? '' };
}

export interface Assigned {
  inputs: Mapping;
  filter?: string;
}

/** Returns the body that saves the draft; a blank filter is omitted. */
export function toAssigned({ texts, filter }: Draft): Assigned {
  return { inputs: toMapping(texts), ...(filter.trim() && { filter }) };
}

/** True if the draft differs from the saved assignment, or from the defaults of a new one. */
export function isChanged(draft: Draft, assignment: Assignment | undefined): boolean {
  return textOf(toAssigned(draft)) !== textOf(toAssigned(toDraft(assignment)));
}

const textOf = ({ inputs, filter = '' }: Assigned) =>
  JSON.stringify([Object.entries(inputs).toSorted(([a], [b]) => (a < b ? -1 : 1)), filter]);
