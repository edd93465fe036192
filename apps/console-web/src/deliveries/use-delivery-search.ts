import { useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import type { DeliveriesSearch } from '../search-params.ts';
import { useOrg } from '../shell/org.ts';

/** Returns the search that the address asks for; undefined if it asks for none. An expression wins over a text. */
function bodyOf({ text, where, outcome, ...rest }: Omit<DeliveriesSearch, 'id' | 'show'>) {
  if ((text ?? where) === undefined || outcome === 'refused') return undefined;
  return { ...rest, ...(where === undefined ? { text } : { where }), outcome };
}

/** Reads the pages of a search, which is repeated only on request: each page costs the service something. */
export function useDeliverySearch(query: Omit<DeliveriesSearch, 'id' | 'show'>) {
  const { id: org } = useOrg();
  const body = bodyOf(query);
  return useInfiniteQuery({
    queryKey: ['searchDeliveries', org, body],
    queryFn: ({ pageParam, signal }) =>
      call('searchDeliveries', { params: { org }, body: { ...body!, before: pageParam } }, signal),
    enabled: body !== undefined,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}
