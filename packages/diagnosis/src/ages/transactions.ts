import { checkOn, ok, warning } from '../check.ts';
import { formatDuration } from '../format.ts';
import { findOldestTransaction } from './transactions.sql.ts';

/** Age, in seconds, from which a transaction is reported. The apps end theirs after DATABASE_STATEMENT_TIMEOUT_MS. */
const secondsMaxDefault = 60;

/**
 * Checks that no transaction stays open. Until a transaction that has written events ends, readers of the feed get no
 * newer events. Vacuum keeps every row that became dead after the transaction began.
 */
export const openTransactions = (secondsMax = secondsMaxDefault) =>
  checkOn('database', 'transactions', async ({ database }) => {
    const oldest = await findOldestTransaction(database);
    if (!oldest || oldest.seconds < secondsMax)
      return ok('No transaction stays open, so events are visible immediately.');
    return warning(
      `${oldest.name || 'A client'} (process ${oldest.pid}) has had a transaction open for ${formatDuration(oldest.seconds)}.`,
      `It delays events and vacuum. End it; if there is no other way, with SELECT pg_terminate_backend(${oldest.pid}).`,
    );
  });
