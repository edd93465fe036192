import { z } from 'zod';

/** Who did something, as events keep it. */
export const Author = z.object({
  type: z.enum(['api_key', 'run', 'operator', 'user', 'system']),
  id: z.string().optional(),
  /** The name that the key or the user had at that time. */
  name: z.string().optional(),
  workflow: z.string().optional(),
  step: z.string().optional(),
});
