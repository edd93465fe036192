import { readWith } from '@relata/db';

export const unsentMax = 10_000;

/**
 * Counts demo requests that are not marked as sent to the team's channel, up to `unsentMax`. Also returns the age of
 * the oldest, in seconds.
 */
export const countUnsent = readWith<{ unsent: number; oldest: number | null }>(
  'diagnosis.unsent_demo_requests',
  `SELECT count(*) AS unsent, extract(epoch FROM now() - min(created_at))::float8 AS oldest
   FROM (SELECT created_at FROM demo_requests WHERE status <> 'sent' LIMIT ${unsentMax}) d`,
);
