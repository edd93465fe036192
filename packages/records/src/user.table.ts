import type { User } from '@relata/schemas';
import { createdAndUpdated, crmId, field, recordTable } from './record-table.ts';

export const users = recordTable<User>({
  name: 'users',
  columns: [
    field('email'),
    field('first_name'),
    field('last_name'),
    field('role'),
    field('status'),
    field('job_function'),
    field('job_level'),
    field('profile_photo'),
    crmId,
    ...createdAndUpdated,
  ],
});
