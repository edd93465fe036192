import { z } from 'zod';

/** Who did something, as events keep it. */
export const Author = z.object({
  type: z.enum(['api_key', 'run', 'operator', 'user', 'system']),
  id: z.string().optional(),
  name: z.string().optional().meta({ description: 'The name that the key or the user had then.' }),
  workflow: z.string().optional().meta({ description: 'Of a run.' }),
  step: z.string().optional().meta({ description: 'Of a run.' }),
});
