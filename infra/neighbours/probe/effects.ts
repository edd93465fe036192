import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase, statement } from '@relata/db';

/**
 * Reads when each contact was committed, as the server recorded it, so that rare polling does not change the
 * measurement.
 */
const committed = statement<{ email: string; at: number }>(
  'neighbours.committed',
  `SELECT email, (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000)::float8 AS at
   FROM contacts WHERE org_id = $1 AND email = ANY ($2)`,
);

const lookEveryMs = 100;

/**
 * Returns a function that waits for a contact that a run creates. It resolves to the time at which the contact with
 * this address was committed, by `performance.now()`, and rejects once the signal is aborted.
 */
export function watchCommits(databaseUrl: string, orgId: string) {
  const database = openDatabase({ url: databaseUrl, name: 'neighbours-effects', poolMax: 1 });
  const awaited = new Map<string, (at: number) => void>();
  let isLooking = false;
  /** Polls for all awaited contacts with one query. */
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      while (awaited.size > 0) {
        await pause(lookEveryMs);
        const found = await database.query(committed, [orgId, [...awaited.keys()]]);
        for (const { email, at } of found) awaited.get(email)?.(at);
      }
    } finally {
      isLooking = false;
    }
  };
  return async (email: string, signal: AbortSignal): Promise<number> => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    awaited.set(email, resolve);
    const leave = () => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
    look().catch(reject);
    try {
      return (await promise) - performance.timeOrigin;
    } finally {
      signal.removeEventListener('abort', leave);
      awaited.delete(email);
    }
  };
}
