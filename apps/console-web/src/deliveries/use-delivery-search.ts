import { useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import type { DeliveriesSearch } from '../search-params.ts';
import { useOrg } from '../shell/org.ts';

/** What the address asks for, as the search takes it; undefined where it asks for no search. */
function bodyOf({ where, outcome, ...rest }: Omit<DeliveriesSearch, 'id' | 'show'>) {
  if (where === undefined || outcome === 'refused') return undefined;
  return { ...rest, where, outcome };
}

/** The pages of a search, which stays as it was made until it is made again: each costs the service something. */
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
