import type { DefinitionFault } from '../api/types.ts';

/** The server's check of a text. */
export interface Verdict {
  text: string;
  faults: readonly DefinitionFault[];
  warnings: readonly DefinitionFault[];
}
