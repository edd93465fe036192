import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import type { ListedDelivery } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { DataList } from '../ui/data/data-list.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { bytesText } from '../ui/data/facts.tsx';
import { LoadedPages, pagesPollMs, searchPageParams } from '../ui/data/pages.tsx';
import { At } from '../ui/data/time.tsx';
import { RunState } from '../runs/run-state.tsx';
import type { DeliveriesSearch } from '../search-params.ts';
import css from './deliveries.module.css';
import { DeliveryFilters } from './delivery-filters.tsx';
import { DeliveryView } from './delivery.view.tsx';
import { RefusedPosts } from './refused-posts.tsx';

const lookEveryMs = 5_000;

/** The list, and beside it the delivery that the address names; or what was refused. */
export function DeliveriesPage() {
  const { id, ...query } = useSearch({ from: '/signed-in/o/$org/deliveries' });
  const navigate = useNavigate({ from: '/o/$org/deliveries' });
  const isFiltered = Object.values(query).some(Boolean);
  return (
    <Page title="Deliveries" intro="What other systems posted to the triggers, as they sent it; the newest first.">
      <DeliveryFilters
        query={query}
        onChange={(by) => void navigate({ search: (before) => ({ ...before, ...by }) })}
        onClear={isFiltered ? () => void navigate({ search: { id } }) : undefined}
      />
      {query.outcome === 'refused' ? (
        <RefusedPosts query={query} />
      ) : (
        <div className={id ? css.split : undefined}>
          <Panel>
            <Stored query={query} shown={id} />
          </Panel>
          {id && <DeliveryView id={id} key={id} onClose={() => void navigate({ search: query })} />}
        </div>
      )}
    </Page>
  );
}

interface StoredProps {
  query: Omit<DeliveriesSearch, 'id'>;
  shown: string | undefined;
}

function Stored({ query: { outcome, ...query }, shown }: StoredProps) {
  const { id: org } = useOrg();
  const given = { ...query, outcome: outcome === 'refused' ? undefined : outcome };
  const deliveries = useInfiniteQuery({
    queryKey: ['listDeliveries', org, given],
    queryFn: ({ pageParam, signal }) =>
      call('listDeliveries', { params: { org }, query: { ...given, before: pageParam } }, signal),
    refetchInterval: ({ state }) => pagesPollMs(state.data, lookEveryMs),
    ...searchPageParams,
  });
  const isFiltered = Object.values(given).some(Boolean);
  return (
    <LoadedPages query={deliveries} empty={<NoDeliveries isFiltered={isFiltered} />}>
      {(rows) => <DeliveryList deliveries={rows} shown={shown} />}
    </LoadedPages>
  );
}

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  const { id: org } = useOrg();
  return (
    <Empty title={isFiltered ? 'Nothing matches.' : 'No deliveries yet.'}>
      <p>
        <Link to="/o/$org/triggers" params={{ org }}>
          Open a trigger
        </Link>{' '}
        for its URL, and post something to it. It appears here within seconds.
      </p>
    </Empty>
  );
}

interface DeliveryListProps {
  deliveries: readonly ListedDelivery[];
  shown: string | undefined;
}

function DeliveryList({ deliveries, shown }: DeliveryListProps) {
  const { id: org } = useOrg();
  return (
    <DataList
      label="Deliveries"
      rows={deliveries}
      keyOf={({ id }) => id}
      isCurrent={({ id }) => id === shown}
      columns={[
        {
          head: 'Came in',
          isNarrow: true,
          cell: ({ id, received_at }) => (
            <Link to="/o/$org/deliveries" params={{ org }} search={(before) => ({ ...before, id })} resetScroll={false}>
              <At of={received_at} />
            </Link>
          ),
        },
        { head: 'Trigger', cell: (delivery) => delivery.trigger },
        { head: 'Size', isNumber: true, cell: ({ bytes }) => bytesText(bytes) },
        { head: 'Started', cell: ({ runs }) => <Started runs={runs} /> },
      ]}
    />
  );
}

export function Started({ runs }: Pick<ListedDelivery, 'runs'>) {
  if (runs.length === 0) return 'nothing';
  return (
    <ul>
      {runs.map(({ id, workflow, status }) => (
        <li key={id}>
          {workflow} <RunState status={status} />
        </li>
      ))}
    </ul>
  );
}
