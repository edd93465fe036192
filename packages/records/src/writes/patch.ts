import type { Row } from '../table/record-column.ts';
import type { Additions } from './additions.ts';

/** A merge patch of one record, with values that never replace existing values of the record. */
export interface Patch extends Additions {
  id: string;
  patch: Row;
  /** Acceptable versions of the record; undefined to accept any version. */
  ifMatch?: readonly string[] | undefined;
  /** Number of matching records, if there were several. The event of the change shows this number. */
  candidateCount?: number | undefined;
}
