import type { DefinitionFault } from '../api/types.ts';

/** What the server has said of a text. */
export interface Verdict {
  text: string;
  faults: readonly DefinitionFault[];
  warnings: readonly DefinitionFault[];
}
