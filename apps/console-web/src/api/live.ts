import type { Query } from '@tanstack/react-query';
import { useEffect } from 'react';
import { changeKinds, isShownBy } from './changes.ts';
import { addressIn, probeService } from './client.ts';
import { becomeLive, isServiceAway, reportOutage } from './connection.ts';
import { queryClient, recheckMe } from './queries.ts';
import { useHasSessionEnded } from './session.ts';
import type { ChangeKind, OperationId } from './types.ts';

/** First wait before a refused stream is opened again, in ms. It doubles with each refusal. */
const firstWaitMs = 5_000;
const longestWaitMs = 60_000;
/**
 * Time in ms after the end of a stream until pages are polled more often, unless the stream is open again by then. The
 * browser reopens it after 2 s.
 */
const comesBackMs = 6_000;
/** Minimum time in ms between two reads of a list. It is longest for events, because every write is an event. */
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
 * Fetches the shown data of a kind again, and once more if it changed in the meantime. Never aborts a request, because
 * on a slow connection with frequent changes no response would ever arrive.
 */
async function refetch(kind: ChangeKind): Promise<void> {
  busy.add(kind);
  const shown = { predicate: ({ queryKey, state }: Query) => isShown(kind, queryKey, state) };
  // A request in flight may return data from before the change.
  const isUnderWay = queryClient.isFetching(shown) > 0;
  const spacing = new Promise((resolve) => setTimeout(resolve, spacingMs[kind]));
  await Promise.allSettled([queryClient.invalidateQueries(shown, { cancelRefetch: false }), spacing]);
  busy.delete(kind);
  if (changedMeanwhile.delete(kind) || isUnderWay) void refetch(kind);
}

/**
 * Returns true if a change of this kind concerns a shown query. Excludes long lists, because all their loaded pages
 * would be read again, and refused queries, because each change would show them as loading.
 */
function isShown(kind: ChangeKind, [id]: readonly unknown[], { data, status }: Query['state']): boolean {
  if (status === 'error' && data === undefined) return false;
  const pages = (data as { pages?: unknown[] } | undefined)?.pages;
  return isShownBy(id as OperationId, kind) && (pages === undefined || pages.length <= pagesMax);
}

/**
 * Follows the changes of an organization while the tab is visible. Pages are polled until the stream is open, and if it
 * is refused. Returns a function that closes the stream.
 */
function followChanges(org: string): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = firstWaitMs;
  const lose = () => {
    becomeLive(false);
    // These queries were polled less often while the stream was open, so their data may be outdated.
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
    const opened = new EventSource(addressIn('readChanges', { params: { org } }));
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

/** Finds out why a stream ended: a regular end, an outage, or a refusal because the member was removed. */
async function noticeEnd(): Promise<void> {
  if (isServiceAway()) return;
  const askedMs = await probeService();
  if (askedMs === undefined) recheckMe();
  else reportOutage(askedMs);
}

/** Keeps one event stream open for the organization of the tab, and none while nobody is signed in. */
export function useLiveChanges(org: string | undefined): void {
  const hasEnded = useHasSessionEnded();
  useEffect(() => (org === undefined || hasEnded ? undefined : followChanges(org)), [org, hasEnded]);
}
