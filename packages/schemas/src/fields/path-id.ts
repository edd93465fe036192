import { z } from 'zod';
import { isUuid } from './text.ts';

/** An id that no record has. It replaces a path id that is not a UUID, so that the answer is also 404. */
export const nilId = '00000000-0000-0000-0000-000000000000';

/** Path parameter `{id}`. */
export const pathId = z.object({
  id: z
    .string()
    .overwrite((id) => (isUuid(id) ? id.toLowerCase() : nilId))
    .meta({ format: 'uuid', description: 'Id of the record.', examples: ['019a1b2c-0000-7000-8000-000000000001'] }),
});
