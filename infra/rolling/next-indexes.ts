import { listIndexes } from '@relata/records';

/** Indexes that `relata migrate` of the next release builds. */
export const nextIndexes = listIndexes.filter(({ isDefault }) => isDefault).map(({ name }) => name);
