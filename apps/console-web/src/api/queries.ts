import {
  hashKey,
  type InfiniteData,
  type Query,
  QueryCache,
  QueryClient,
  queryOptions,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query';
import { use } from 'react';
import { call, probeService, watchDenials } from './client.ts';
import { isReported, pollsMs } from './changes.ts';
import { isLive, isServiceAway, watchConnection } from './connection.ts';
import { ApiFailure, asFailure } from './failure.ts';
import { releaseWaitingRequests } from './session.ts';
import { OrgContext } from '../shell/org.ts';
import { forgetUnsaved } from '../ui/unsaved.ts';
import type { OutputOf, Delivery, InputHere, InputOf, Me, OperationId } from './types.ts';

const retriesMax = 2;
/** Maximum `Retry-After` for a retry, in ms. Longer waits are left to the probe. */
const retryAfterMaxMs = 5_000;
const livePollEveryMs = 30_000;

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onSuccess: (output, { queryKey }) => {
      if (queryKey[0] === 'getDelivery') updateFound((output as OutputOf<'getDelivery'>).data);
    },
  }),
  defaultOptions: {
    queries: {
      // Cached data is shown immediately and fetched again in the background.
      staleTime: 5_000,
      gcTime: 600_000,
      networkMode: 'always',
      refetchInterval: (query) => pollMs(query),
      retry: (count, error) => count < retriesMax && isWorthRetry(error),
      retryDelay: (count, error) => Math.max(1_000 * 2 ** count, asFailure(error).retryAfterMs),
    },
  },
});

function isWorthRetry(error: unknown): boolean {
  return error instanceof ApiFailure && error.isOutage && error.retryAfterMs <= retryAfterMaxMs;
}

/**
 * Returns the polling interval in ms: the given one, or that of the operation. Returns false during an outage, because
 * everything is fetched again afterwards, and if several pages are loaded, because all of them would be read again.
 * Polling is slower while the event stream is open, because it then only finds changes that the stream missed.
 */
function pollMs({ queryKey, state }: Pick<Query, 'queryKey' | 'state'>, givenMs?: number): number | false {
  const id = queryKey[0] as OperationId;
  const everyMs = givenMs ?? pollsMs[id];
  const { pages = [] } = (state.data ?? {}) as { pages?: unknown[] };
  if (everyMs === undefined || isServiceAway() || pages.length > 1) return false;
  return isReported(id) && isLive() ? Math.max(everyMs, livePollEveryMs) : everyMs;
}

type Found = InfiniteData<OutputOf<'searchDeliveries'>>;

/** Updates the runs of a delivery in the results of searches, which are repeated only on request. */
function updateFound({ id, replays, refused, runs }: Delivery): void {
  const withRuns = ({ pages, pageParams }: Found): Found => ({
    pages: pages.map((page) => ({
      ...page,
      data: page.data.map((row) => (row.id === id ? { ...row, replays, refused, runs } : row)),
    })),
    pageParams,
  });
  const hasRow = ({ state }: Query) =>
    (state.data as Found | undefined)?.pages.some(({ data }) => data.some((row) => row.id === id)) === true;
  for (const query of queryClient.getQueryCache().findAll({ queryKey: ['searchDeliveries'] })) {
    // Keeps the age and any failure of the search, because the other rows were not read.
    const update = () => hasRow(query) && query.setState({ data: withRuns(query.state.data as Found) });
    update();
    // A read in progress adds its page to the old rows and so drops the update, which is then made again.
    if (query.state.fetchStatus === 'fetching') void query.promise?.then(update, update);
  }
}

interface Options<Output> {
  isEnabled?: boolean;
  /** Polling interval while the tab is visible, in ms; may depend on the last response. */
  everyMs?: number | ((output: Output | undefined) => number | undefined);
  /** State of the shown record. A new state repeats the call; meanwhile the previous response is shown. */
  state?: string;
}

/** Calls a read operation in the organization of the page. */
export function useCall<Id extends OperationId>(
  id: Id,
  input: InputHere<Id>,
  { isEnabled = true, everyMs, state }: Options<OutputOf<Id>> = {},
): UseQueryResult<OutputOf<Id>> {
  const org = use(OrgContext)?.organization.id ?? '';
  const whole = { ...input, params: { org, ...input.params } } as InputOf<Id>;
  return useQuery({
    queryKey: state === undefined ? [id, whole] : [id, whole, state],
    queryFn: ({ signal }) => call(id, whole, signal),
    placeholderData: (previous, from) =>
      state !== undefined && hashKey([from?.queryKey[1]]) === hashKey([whole]) ? previous : undefined,
    enabled: isEnabled,
    refetchInterval: (query) => pollMs(query, typeof everyMs === 'function' ? everyMs(query.state.data) : everyMs),
  });
}

export function refresh(...ids: OperationId[]): Promise<unknown> {
  return Promise.all(ids.map((id) => queryClient.invalidateQueries({ queryKey: [id] })));
}

export const meQuery = queryOptions({
  queryKey: ['getMe', {}],
  // Does not pass on the abort signal, because an unmounting component would abort a request that the router waits for.
  queryFn: async () => {
    const { data } = await call('getMe', {});
    if (beginAnewFor(data)) return new Promise<Me>(() => {});
    releaseWaitingRequests();
    return data;
  },
});

/** Returns the person who is signed in; only for routes that require a session. */
export function useMe(): Me {
  const { data } = useQuery(meQuery);
  if (!data) throw new Error('You are signed out. Sign in again.');
  return data;
}

/**
 * Reloads the console if another person has signed in, because the shown data and pending requests belong to the
 * previous person. Returns true if it reloads.
 */
function beginAnewFor({ person }: Me): boolean {
  const before = queryClient.getQueryData<Me>(['getMe', {}]);
  const isOther = before !== undefined && before.person.id !== person.id;
  if (!isOther) return false;
  forgetUnsaved();
  location.assign('/console/');
  return true;
}

/** Stores the signed-in person that an action returned. */
export function keepMe(me: Me): void {
  if (beginAnewFor(me)) return;
  queryClient.setQueryData(meQuery.queryKey, me);
  releaseWaitingRequests();
}

/** Returns the time at which the oldest shown data was read, in ms since 1970; undefined if no data is shown. */
export function shownSince(): number | undefined {
  const shown = queryClient
    .getQueryCache()
    .findAll({ type: 'active', predicate: ({ queryKey }) => queryKey[0] !== 'getMe' });
  const times = shown.map(({ state }) => state.dataUpdatedAt).filter((at) => at > 0);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** Fetches the signed-in person again, since they may have lost a membership. */
export const recheckMe = () =>
  void queryClient.invalidateQueries({ queryKey: meQuery.queryKey }, { cancelRefetch: false });

/** Removes all cached data except the signed-in person, for somebody who has lost access. */
export const forgetAllButMe = () => queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'getMe' });

watchDenials(recheckMe);
watchConnection(probeService, () => void queryClient.invalidateQueries({ predicate: isReadAgain }));

/**
 * Returns true for queries to fetch again after an outage. Excludes searches that have results, because each would read
 * up to 40 expensive pages again.
 */
function isReadAgain({ queryKey, state }: Query): boolean {
  return queryKey[0] !== 'searchDeliveries' || state.data === undefined;
}
