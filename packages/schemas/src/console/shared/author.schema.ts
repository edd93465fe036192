import { z } from 'zod';

/** Author of an action, as events store it. */
export const Author = z.object({
  type: z.enum(['api_key', 'run', 'operator', 'user', 'system']),
  id: z.string().optional(),
  /** Name of the key or the user at that time. */
  name: z.string().optional(),
  workflow: z.string().optional(),
  step: z.string().optional(),
});
