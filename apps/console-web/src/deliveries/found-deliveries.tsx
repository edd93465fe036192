import { type ReactNode, useEffect, useState } from 'react';
import { asFailure, fieldFaults } from '../api/failure.ts';
import { queryClient } from '../api/queries.ts';
import type { DeliverySearch, ListedDelivery } from '../api/types.ts';
import type { DeliveriesSearch } from '../search-params.ts';
import { OrgLink, useOrg } from '../shell/org.ts';
import { Button } from '../ui/controls/button.tsx';
import { CliCommand } from '../ui/controls/copy.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { countedText, countText } from '../ui/data/count.ts';
import { Empty, Skeleton } from '../ui/data/empty.tsx';
import { DateTime } from '../ui/data/time.tsx';
import { Hint, ErrorAlert } from '../ui/data/error-alert.tsx';
import css from './search.module.css';
import { useInfiniteQuery } from '@tanstack/react-query';

interface FoundDeliveriesProps {
  query: Omit<DeliveriesSearch, 'id'>;
  children: (rows: ListedDelivery[]) => ReactNode;
}

/** Number of responses, of up to 1,000 deliveries each, and number of matches after which a search pauses. */
const atOnce = { responses: 40, matches: 50 };

export function FoundDeliveries({ query, children }: FoundDeliveriesProps) {
  const found = useDeliverySearch(query);
  const pages = found.data?.pages ?? [];
  const rows = pages.flatMap(({ data }) => data);
  const [goal, setGoal] = useState<{ responses: number; matches: number }>(atOnce);
  const { hasNextPage, isFetching, error, fetchNextPage } = found;
  const isGoing = hasNextPage && !error && pages.length < goal.responses && rows.length < goal.matches;
  useEffect(() => {
    if (isGoing && !isFetching) void fetchNextPage();
  }, [isGoing, isFetching, fetchNextPage]);
  const stop = () => {
    setGoal({ responses: pages.length, matches: rows.length });
    void queryClient.cancelQueries({ queryKey: ['searchDeliveries'] });
  };
  const goOn = () => {
    setGoal({ responses: pages.length + atOnce.responses, matches: rows.length + atOnce.matches });
    if (error) void fetchNextPage();
  };
  // The search field already shows errors about its own input.
  if (error && pages.length === 0 && ['text', 'where'].some((field) => fieldFaults(asFailure(error), field)))
    return null;
  if (pages.length === 0 && error)
    return <ErrorAlert failure={asFailure(error)} onRetry={() => void found.refetch()} />;
  if (pages.length === 0) return <Skeleton lines={12} />;
  return (
    <>
      <Faults pages={pages} />
      {rows.length > 0 && children(rows)}
      {rows.length === 0 && !hasNextPage && <NothingFound query={query} />}
      {error && <ErrorAlert failure={asFailure(error)} />}
      <Extent pages={pages} matches={rows.length} isGoing={isGoing} onStop={stop} onGoOn={goOn} />
      <SameInTerminal query={query} />
    </>
  );
}

function NothingFound({ query: { where, trigger } }: Pick<FoundDeliveriesProps, 'query'>) {
  return (
    <Empty title="No matching deliveries">
      {where === undefined ? (
        <p>
          Search covers accepted deliveries only.{' '}
          <OrgLink to="/o/$org/deliveries" search={{ outcome: 'refused', trigger }}>
            Show refused requests
          </OrgLink>
        </p>
      ) : (
        <p>
          <code>==</code> compares whole values. To find part of a text, use{' '}
          <code>payload.message.contains("robot")</code>.
        </p>
      )}
    </Empty>
  );
}

/** Number of deliveries on which the expression failed, and a link to the newest. */
function Faults({ pages }: { pages: readonly DeliverySearch[] }) {
  const failed = sumOf(pages, ({ failed }) => failed);
  const first = pages.find(({ first_fault }) => first_fault)?.first_fault;
  if (!first) return null;
  return (
    <div className={css.faults}>
      <Hint>
        <p>
          The expression failed on {countText(failed)} of {countedText(lookedAt(pages), 'delivery', 'deliveries')}, most
          recently{' '}
          <OrgLink to="/o/$org/deliveries" search={(before) => ({ ...before, id: first.id })}>
            {first.id.slice(0, 8)}
          </OrgLink>
          : {first.message}
        </p>
      </Hint>
    </div>
  );
}

interface ExtentProps {
  pages: readonly DeliverySearch[];
  matches: number;
  isGoing: boolean;
  onStop: () => void;
  onGoOn: () => void;
}

function Extent({ pages, matches, isGoing, onStop, onGoOn }: ExtentProps) {
  const to = pages.at(-1)!.looked_back_to;
  const looked = lookedAt(pages);
  const count = `${countedText(looked, 'delivery', 'deliveries')}, ${countedText(matches, 'match', 'matches')}`;
  const extent = to !== null && (
    <>
      Searched back to <DateTime time={to} />: {count}.
    </>
  );
  return (
    <footer className={css.extent}>
      {isGoing && <Button onClick={onStop}>Stop</Button>}
      {!isGoing && to !== null && <Button onClick={onGoOn}>Continue</Button>}
      <span role="status">{isGoing ? 'Searching…' : extent || `Search complete: ${count}.`}</span>
      {isGoing && extent && <span>{extent}</span>}
      {!isGoing && (
        <Button variant="quiet" onClick={() => void queryClient.resetQueries({ queryKey: ['searchDeliveries'] })}>
          Search again
        </Button>
      )}
    </footer>
  );
}

/** The equivalent CLI command. The CLI searches by text or expression, and by trigger. */
function SameInTerminal({ query: { text, where, trigger, ...others } }: { query: Omit<DeliveriesSearch, 'id'> }) {
  const { id: org } = useOrg();
  if (Object.values(others).some(Boolean)) return null;
  const search = where === undefined ? option('text', text ?? '') : option('where', where);
  const scope = trigger ? option('trigger', trigger) : option('org', org);
  return (
    <div className={css.terminal}>
      <CliCommand command={relata('deliveries', 'list', ...search, ...scope)} />
    </div>
  );
}

function sumOf(pages: readonly DeliverySearch[], value: (page: DeliverySearch) => number): number {
  return pages.reduce((sum, page) => sum + value(page), 0);
}

const lookedAt = (pages: readonly DeliverySearch[]) => sumOf(pages, ({ looked_at }) => looked_at);

/** Returns the search in the address; undefined if it has none. An expression overrides a text. */
function bodyOf({ text, where, outcome, ...rest }: Omit<DeliveriesSearch, 'id' | 'show'>) {
  if ((text ?? where) === undefined || outcome === 'refused') return undefined;
  return { ...rest, ...(where === undefined ? { text } : { where }), outcome };
}

/** Reads the pages of a search. It is repeated only on request, because each page is expensive. */
export function useDeliverySearch(query: Omit<DeliveriesSearch, 'id' | 'show'>) {
  const { id: org, call } = useOrg();
  const body = bodyOf(query);
  return useInfiniteQuery({
    queryKey: ['searchDeliveries', org, body],
    queryFn: ({ pageParam, signal }) => call('searchDeliveries', { body: { ...body!, before: pageParam } }, signal),
    enabled: body !== undefined,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}
