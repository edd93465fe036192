import { setTimeout as pause } from 'node:timers/promises';
import type { EventFeed, FeedPage, FeedQuery } from '@relata/events';
import { AppError } from '@relata/schemas/errors';
import { CliError } from '../../output/cli.error.ts';

const betweenReadsMs = 50;
/** Longest wait until the newest events are known. The transactions of the apps usually end within milliseconds. */
const settlingMaxMs = 10_000;

interface Waiting {
  /** Ends the wait when aborted. */
  signal?: AbortSignal | undefined;
  waitMaxMs?: number;
}

/**
 * Reads a page of a feed. A new process knows where the feed ends only after the transactions that are writing events
 * at its start have ended. Until then, the read is repeated for up to 10 s; after that, a CliError
 * `service_unavailable` is thrown. Returns no events if the signal is aborted.
 */
export async function readSettled(
  feed: EventFeed,
  orgId: string,
  query: FeedQuery,
  { signal, waitMaxMs = settlingMaxMs }: Waiting = {},
): Promise<FeedPage> {
  const deadline = performance.now() + waitMaxMs;
  for (;;) {
    try {
      return await feed.read(orgId, query, signal);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'service_unavailable')) throw error;
      if (performance.now() >= deadline) throw stillWritten(waitMaxMs, error);
    }
    await pause(betweenReadsMs, undefined, { signal }).catch(() => undefined);
    if (signal?.aborted) return { events: [], nextCursor: query.after ?? 'latest', hasMore: false };
  }
}

function stillWritten(ms: number, cause: Error): CliError {
  const message =
    `A transaction that writes events has been open for ${ms / 1_000} s or longer, so the newest events cannot be listed yet. ` +
    'Find it with relata doctor (check transactions), then try again.';
  return new CliError('service_unavailable', message, { cause });
}
