import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { asFailure, faultsOf } from '../api/failure.ts';
import { queryClient } from '../api/queries.ts';
import type { DeliverySearch, ListedDelivery } from '../api/types.ts';
import type { DeliveriesSearch } from '../search-params.ts';
import { useOrg } from '../shell/org.ts';
import { Button } from '../ui/controls/button.tsx';
import { Terminal } from '../ui/controls/copy.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { Empty, Skeleton } from '../ui/data/empty.tsx';
import { At } from '../ui/data/time.tsx';
import { Hint, Trouble } from '../ui/data/trouble.tsx';
import css from './search.module.css';
import { useDeliverySearch } from './use-delivery-search.ts';

interface FoundDeliveriesProps {
  query: Omit<DeliveriesSearch, 'id'>;
  children: (rows: ListedDelivery[]) => ReactNode;
}

/** After so many answers, of 1,000 deliveries at most, or so many more matches the search waits to be asked on. */
const atOnce = { answers: 40, matches: 50 };

/** What a search has found so far; it goes on by itself for a while. Another search is another one of these. */
export function FoundDeliveries({ query, children }: FoundDeliveriesProps) {
  const found = useDeliverySearch(query);
  const pages = found.data?.pages ?? [];
  const rows = pages.flatMap(({ data }) => data);
  const [goal, setGoal] = useState<{ answers: number; matches: number }>(atOnce);
  const { hasNextPage, isFetching, error, fetchNextPage } = found;
  const isGoing = hasNextPage && !error && pages.length < goal.answers && rows.length < goal.matches;
  useEffect(() => {
    if (isGoing && !isFetching) void fetchNextPage();
  }, [isGoing, isFetching, fetchNextPage]);
  const stop = () => {
    setGoal({ answers: pages.length, matches: rows.length });
    void queryClient.cancelQueries({ queryKey: ['searchDeliveries'] });
  };
  const goOn = () => {
    setGoal({ answers: pages.length + atOnce.answers, matches: rows.length + atOnce.matches });
    if (error) void fetchNextPage();
  };
  // What is wrong with the expression stands at its field.
  if (error && pages.length === 0 && faultsOf(asFailure(error), 'where')) return null;
  if (pages.length === 0 && error) return <Trouble failure={asFailure(error)} onRetry={() => void found.refetch()} />;
  if (pages.length === 0) return <Skeleton lines={12} />;
  return (
    <>
      <Faults of={pages} />
      {rows.length > 0 && children(rows)}
      {rows.length === 0 && !hasNextPage && <NothingFound />}
      {error && <Trouble failure={asFailure(error)} />}
      <Extent of={pages} matches={rows.length} isGoing={isGoing} onStop={stop} onGoOn={goOn} />
      <SameInTerminal query={query} />
    </>
  );
}

function NothingFound() {
  return (
    <Empty title="Nothing matches.">
      <p>
        A text is compared as a whole; <code>payload.message.contains("robot")</code> finds a part of it.
      </p>
    </Empty>
  );
}

/** Of how many deliveries the expression came to no result, and the newest of those. */
function Faults({ of }: { of: readonly DeliverySearch[] }) {
  const { id: org } = useOrg();
  const failed = sumOf(of, ({ failed }) => failed);
  const first = of.find(({ first_fault }) => first_fault)?.first_fault;
  if (!first) return null;
  return (
    <div className={css.faults}>
      <Hint>
        <p>
          The expression failed on {number.format(failed)} of {number.format(lookedAt(of))} deliveries, first on{' '}
          <Link to="/o/$org/deliveries" params={{ org }} search={(before) => ({ ...before, id: first.id })}>
            {first.id.slice(0, 8)}
          </Link>
          : {first.message}
        </p>
      </Hint>
    </div>
  );
}

interface ExtentProps {
  of: readonly DeliverySearch[];
  matches: number;
  isGoing: boolean;
  onStop: () => void;
  onGoOn: () => void;
}

/** How far the search has come. */
function Extent({ of, matches, isGoing, onStop, onGoOn }: ExtentProps) {
  const to = of.at(-1)!.looked_back_to;
  const count = `${number.format(lookedAt(of))} deliveries, ${number.format(matches)} ${matches === 1 ? 'match' : 'matches'}`;
  return (
    <footer className={css.extent}>
      {isGoing && <Button onClick={onStop}>Stop</Button>}
      {!isGoing && to !== null && <Button onClick={onGoOn}>Search on</Button>}
      <span role="status">
        {isGoing && 'Searching … '}
        {!isGoing && to === null && `Searched to the end: ${count}.`}
        {!isGoing && to !== null && (
          <>
            Searched back to <At of={to} />: {count}.
          </>
        )}
      </span>
      {isGoing && to !== null && (
        <span>
          back to <At of={to} />: {count}
        </span>
      )}
      {!isGoing && (
        <Button look="quiet" onClick={() => void queryClient.resetQueries({ queryKey: ['searchDeliveries'] })}>
          Search again
        </Button>
      )}
    </footer>
  );
}

/** The tool takes the expression and the trigger. */
function SameInTerminal({ query: { where, trigger, ...others } }: { query: Omit<DeliveriesSearch, 'id'> }) {
  const { id: org } = useOrg();
  if (where === undefined || Object.values(others).some(Boolean)) return null;
  const scope = trigger ? option('trigger', trigger) : option('org', org);
  return (
    <div className={css.terminal}>
      <Terminal command={relata('deliveries', 'list', ...option('where', where), ...scope)} />
    </div>
  );
}

const number = new Intl.NumberFormat('en');

function sumOf(pages: readonly DeliverySearch[], value: (page: DeliverySearch) => number): number {
  return pages.reduce((sum, page) => sum + value(page), 0);
}

const lookedAt = (pages: readonly DeliverySearch[]) => sumOf(pages, ({ looked_at }) => looked_at);
