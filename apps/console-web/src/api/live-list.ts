import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useAttempt } from './attempt.ts';
import { queryClient } from './queries.ts';
import { findIdAbove, startRows, meets, type Page, type ReadRows, withMore, withPage } from './read-rows.ts';

interface LiveListOptions<Row> {
  key: readonly [id: string, ...more: unknown[]];
  read: (before: string | undefined, signal?: AbortSignal) => Promise<Page<Row>>;
}

/** More are narrowed by filters rather than scrolled through. */
const rowsMax = 20_000;

/**
 * A list that is read page by page as it is scrolled, and follows what changes. When something has changed its newest page
 * is read again, and of the others the one that is in view; the rest is as it was, and is read when it comes into view
 * with the next change.
 */
export function useLiveList<Row extends { id: string }>({ key, read }: LiveListOptions<Row>) {
  const seen = useRef<{ from: string; to: string }>(undefined);
  const stored = () => queryClient.getQueryData<ReadRows<Row>>(key);
  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const newest = await read(undefined, signal);
      const above = findIdAbove(stored(), seen.current, newest);
      const inView = above === undefined ? undefined : await read(above, signal);
      // Rows that were read after the end in the meantime stay.
      const before = stored();
      if (!before || before.pageCount === 1 || !meets(newest, before)) return startRows(newest);
      const list = withPage(before, undefined, newest);
      return inView ? withPage(list, above, inView) : list;
    },
  });
  const { next = null, rows = [] } = query.data ?? {};
  const more = useAttempt(async () => {
    if (next === null) return;
    const page = await read(next);
    const list = stored();
    // It is dropped if the list has started over in the meantime.
    if (list?.next === next) queryClient.setQueryData(key, withMore(list, page));
  });
  return {
    query,
    more,
    hasMore: next !== null && rows.length < rowsMax,
    isFull: next !== null && rows.length >= rowsMax,
    readMore: more.attempt,
    see: (from: string, to: string) => void (seen.current = { from, to }),
  };
}

export type LiveList<Row extends { id: string }> = ReturnType<typeof useLiveList<Row>>;
