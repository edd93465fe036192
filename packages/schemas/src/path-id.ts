import { z } from 'zod';
import { uuid } from './text.ts';

/** The `{id}` of a path. */
export const pathId = z.object({
  id: uuid().meta({ description: 'Id of the record.', examples: ['019a1b2c-0000-7000-8000-000000000001'] }),
});
