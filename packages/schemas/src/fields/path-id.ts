import { z } from 'zod';
import { isUuid } from './text.ts';

/** The id of nothing: what is no UUID names no record, and is answered like any other id that names none. */
const nilId = '00000000-0000-0000-0000-000000000000';

/** The `{id}` of a path. */
export const pathId = z.object({
  id: z
    .string()
    .overwrite((id) => (isUuid(id) ? id.toLowerCase() : nilId))
    .meta({ format: 'uuid', description: 'Id of the record.', examples: ['019a1b2c-0000-7000-8000-000000000001'] }),
});
