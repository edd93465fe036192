import { v7 } from 'uuid';

/** A UUID version 7: ids made one after the other by one process ascend, even within a millisecond. */
export function newId(): string {
  return v7();
}
