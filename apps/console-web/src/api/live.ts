import type { Query } from '@tanstack/react-query';
import { useEffect } from 'react';
import { changeKinds, isShownBy } from './changes.ts';
import { probeService } from './client.ts';
import { becomeLive, isServiceAway, serviceIsAway } from './connection.ts';
import { queryClient, recheckMe } from './queries.ts';
import { useHasSessionEnded } from './session.ts';
import type { ChangeKind, OperationId } from './types.ts';

/** A stream that was refused is asked for again after so long, each time after twice as long. */
const firstWaitMs = 5_000;
const longestWaitMs = 60_000;
/** A stream that ends comes back by itself, 2 seconds later. */
const comesBackMs = 6_000;
/** Minimum time between two reads of the same list, since every written record is an event. */
const spacingMs: Record<ChangeKind, number> = { deliveries: 1_000, runs: 1_000, events: 5_000 };

const pagesMax = 5;

const busy = new Set<ChangeKind>();
const changedMeanwhile = new Set<ChangeKind>();

function refreshChanged(kinds: readonly ChangeKind[]): void {
  for (const kind of kinds) {
    if (busy.has(kind)) changedMeanwhile.add(kind);
    else void refetch(kind);
  }
}

/**
 * Fetches the shown data of a kind again, and once more if it changed in the meantime. Nothing is cut off: on a slow
 * line nothing else would ever arrive.
 */
async function refetch(kind: ChangeKind): Promise<void> {
  busy.add(kind);
  const shown = { predicate: ({ queryKey, state }: Query) => isShown(kind, queryKey, state) };
  // A request in flight may have been read before the change.
  const isUnderWay = queryClient.isFetching(shown) > 0;
  const spacing = new Promise((resolve) => setTimeout(resolve, spacingMs[kind]));
  await Promise.allSettled([queryClient.invalidateQueries(shown, { cancelRefetch: false }), spacing]);
  busy.delete(kind);
  if (changedMeanwhile.delete(kind) || isUnderWay) void refetch(kind);
}

/**
 * Returns true if a change of this kind concerns a query that is shown. A change reads all loaded pages of a list again,
 * but not those of a long one. A refused query stays refused, rather than show as loading with each change.
 */
function isShown(kind: ChangeKind, [id]: readonly unknown[], { data, status }: Query['state']): boolean {
  if (status === 'error' && data === undefined) return false;
  const pages = (data as { pages?: unknown[] } | undefined)?.pages;
  return isShownBy(id as OperationId, kind) && (pages === undefined || pages.length <= pagesMax);
}

/**
 * Follows what changes in an organization as long as the tab is shown; until then, and where the stream is refused, the
 * pages are polled. Returns what ends it.
 */
function followChanges(org: string): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = firstWaitMs;
  const lose = () => {
    becomeLive(false);
    // Their next poll was put off while there was a stream.
    refreshChanged(changeKinds);
  };
  const close = () => {
    clearTimeout(timer);
    source?.close();
    becomeLive(false);
  };
  const open = () => {
    close();
    if (document.hidden) return;
    const opened = new EventSource(`/console/api/orgs/${encodeURIComponent(org)}/stream`);
    source = opened;
    opened.addEventListener('open', () => {
      clearTimeout(timer);
      waitMs = firstWaitMs;
      becomeLive(true);
      refreshChanged(changeKinds);
    });
    opened.addEventListener('change', ({ data }: MessageEvent<string>) =>
      refreshChanged(data.split(',') as ChangeKind[]),
    );
    opened.addEventListener('error', () => {
      clearTimeout(timer);
      void noticeEnd();
      if (opened.readyState !== EventSource.CLOSED) return void (timer = setTimeout(lose, comesBackMs));
      lose();
      timer = setTimeout(open, waitMs);
      waitMs = Math.min(longestWaitMs, waitMs * 2);
    });
  };
  document.addEventListener('visibilitychange', open);
  open();
  return () => {
    document.removeEventListener('visibilitychange', open);
    close();
  };
}

/** A stream ends from time to time. It breaks off if the service goes away, and is refused to a removed member. */
async function noticeEnd(): Promise<void> {
  if (isServiceAway()) return;
  const askedMs = await probeService();
  if (askedMs === undefined) recheckMe();
  else serviceIsAway(askedMs);
}

/** Keeps one event stream open for the organization that the tab shows, and none while nobody is signed in. */
export function useLiveChanges(org: string | undefined): void {
  const hasEnded = useHasSessionEnded();
  useEffect(() => (org === undefined || hasEnded ? undefined : followChanges(org)), [org, hasEnded]);
}
