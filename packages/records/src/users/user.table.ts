import { user } from '@relata/schemas';
import { recordTable } from '../table/record-table.ts';

export const users = recordTable(user, {
  columns: {
    email: 'text',
    first_name: 'text',
    last_name: 'text',
    role: 'text',
    status: 'text',
    job_function: 'text',
    job_level: 'text',
    profile_photo: 'text',
  },
  matches: {},
  filters: {},
});
