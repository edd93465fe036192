import type { Trigger } from '../../api/types.ts';
import { type Mapping, toMapping, textOfSource } from './source-text.ts';

type Assignment = Trigger['assignments'][number];

/** Name of the filter's field. The space keeps it different from every input's name. */
export const filterField = ' filter';

/** Texts of the fields by name: of the inputs, and of the filter as `filterField`. */
export type Draft = Readonly<Record<string, string>>;

/** Returns the edits that a saved draft does not contain. */
export function editsBeyond(saved: Draft, edits: Draft): Draft {
  return Object.fromEntries(Object.entries(edits).filter(([field, text]) => text !== (saved[field] ?? '')));
}

export function toDraft(assignment: Assignment | undefined): Draft {
  const texts = Object.entries(assignment?.inputs ?? {}).map(([input, from]) => [input, textOfSource(from)] as const);
  return { ...Object.fromEntries(texts), [filterField]: assignment?.filter ?? '' };
}

export interface Assigned {
  inputs: Mapping;
  filter?: string;
}

/** Returns the body that saves the draft; a blank filter is omitted. */
export function toAssigned({ [filterField]: filter = '', ...texts }: Draft): Assigned {
  return { inputs: toMapping(texts), ...(filter.trim() && { filter }) };
}

/** True if the draft differs from the saved assignment, or from the defaults of a new one. */
export function isChanged(draft: Draft, assignment: Assignment | undefined): boolean {
  return textOf(toAssigned(draft)) !== textOf(toAssigned(toDraft(assignment)));
}

const textOf = ({ inputs, filter = '' }: Assigned) =>
  JSON.stringify([Object.entries(inputs).toSorted(([a], [b]) => (a < b ? -1 : 1)), filter]);
