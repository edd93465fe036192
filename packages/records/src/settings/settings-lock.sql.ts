import { listWith } from '@relata/db';

/**
 * Makes changes of an organization's settings and members wait for each other until the unit ends. Inserts of rows that
 * refer to the organization do not wait. A unit takes this lock before all others.
 */
export const lockSettings = listWith<{ id: string }, [orgId: string]>(
  'organizations.lock_settings',
  'SELECT id FROM organizations WHERE id = $1 FOR NO KEY UPDATE',
);
