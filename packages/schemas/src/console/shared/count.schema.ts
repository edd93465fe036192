import { z } from 'zod';

/** An exact count. Null for a period before the upgrade that introduced counting, if there were many. */
export const counted = z.int().nullable();
