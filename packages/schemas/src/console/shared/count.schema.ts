import { z } from 'zod';

/** A number that is counted exactly, or absent. */
export const counted = (what: string) =>
  z
    .int()
    .nullable()
    .meta({ description: `${what}. Null for time before an upgrade since which they are counted, if they were many.` });
