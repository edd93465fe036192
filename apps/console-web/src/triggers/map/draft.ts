import type { Trigger } from '../../api/types.ts';
import { type Mapping, toMapping, textOfSource } from './source-text.ts';

type Assignment = Trigger['assignments'][number];

export interface Draft {
  texts: Readonly<Record<string, string>>;
  filter: string;
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
