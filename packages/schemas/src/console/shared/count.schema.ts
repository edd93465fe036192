import { z } from 'zod';

/** An exact count; null for a time before an upgrade that began counting, if there were many. */
export const counted = z.int().nullable();
