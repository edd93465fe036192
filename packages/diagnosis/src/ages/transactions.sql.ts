import { findWith } from '@relata/db';

interface OpenTransaction {
  pid: number;
  name: string;
  seconds: number;
}

/**
 * Finds the oldest open transaction. Only superusers and members of `pg_read_all_stats` see the age of other roles'
 * transactions.
 */
export const findOldestTransaction = findWith<OpenTransaction>(
  'diagnosis.oldest_transaction',
  `SELECT pid, application_name AS name, extract(epoch FROM clock_timestamp() - xact_start)::float8 AS seconds
   FROM pg_stat_activity
   WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
     AND xact_start IS NOT NULL
   ORDER BY xact_start LIMIT 1`,
);
