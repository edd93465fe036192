import { QueryClient, queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from './client.ts';
import { watchConnection } from './connection.ts';
import { ApiFailure } from './failure.ts';
import { sessionIsOpen } from './session.ts';
import type { AnswerOf, InputOf, Me, OperationId } from './types.ts';

const retriesMax = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // What was seen is shown at once, and asked for again behind it.
      staleTime: 5_000,
      gcTime: 600_000,
      networkMode: 'always',
      retry: (count, error) => error instanceof ApiFailure && error.isOutage && count < retriesMax,
    },
  },
});

/** What an operation answers, kept by its id and input. */
function queryOf<Id extends OperationId>(id: Id, input: InputOf<Id>) {
  return queryOptions({ queryKey: [id, input], queryFn: ({ signal }) => call(id, input, signal) });
}

interface Options {
  isEnabled?: boolean;
  /** Asked again after so long, while the tab is shown. */
  everyMs?: number | undefined;
}

export function useCall<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  { isEnabled = true, everyMs }: Options = {},
): UseQueryResult<AnswerOf<Id>> {
  return useQuery({ ...queryOf(id, input), enabled: isEnabled, refetchInterval: everyMs ?? false }) as UseQueryResult<
    AnswerOf<Id>
  >;
}

/** Asks again for what has changed by an act. */
export function refresh(...ids: OperationId[]): Promise<unknown> {
  return Promise.all(ids.map((id) => queryClient.invalidateQueries({ queryKey: [id] })));
}

export const meQuery = queryOptions({
  queryKey: ['getMe', {}],
  queryFn: async ({ signal }) => {
    const { data } = await call('getMe', {}, signal);
    sessionIsOpen();
    return data;
  },
});

/** Who is signed in; only below routes that need someone to be. */
export function useMe(): Me {
  const { data } = useQuery(meQuery);
  if (!data) throw new Error('Nobody is signed in.');
  return data;
}

/** The answer of an act that shows the person as they are now. */
export function keepMe(me: Me): void {
  queryClient.setQueryData(meQuery.queryKey, me);
  sessionIsOpen();
}

watchConnection(
  () => call('getMe', {}),
  () => void queryClient.invalidateQueries(),
);
