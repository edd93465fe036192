import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { useCall } from '../api/queries.ts';
import type { ListedDelivery } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { DataList } from '../ui/data/data-list.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { bytesText } from '../ui/data/facts.tsx';
import { Filters, SelectFilter } from '../ui/data/filters.tsx';
import { LoadedPages, pageParams, pagesPollMs } from '../ui/data/pages.tsx';
import { At } from '../ui/data/time.tsx';
import { RunState } from '../runs/run-state.tsx';
import css from './deliveries.module.css';
import { DeliveryView } from './delivery.view.tsx';

const lookEveryMs = 5_000;

/** The list, and beside it the delivery that the address names. */
export function DeliveriesPage() {
  const org = useOrg();
  const { trigger, id } = useSearch({ from: '/signed-in/o/$org/deliveries' });
  const navigate = useNavigate({ from: '/o/$org/deliveries' });
  const triggers = useCall('listTriggers', { params: { org: org.id } });
  const deliveries = useInfiniteQuery({
    queryKey: ['listDeliveries', org.id, trigger],
    queryFn: ({ pageParam, signal }) =>
      call('listDeliveries', { params: { org: org.id }, query: { trigger, before: pageParam } }, signal),
    refetchInterval: ({ state }) => pagesPollMs(state.data, lookEveryMs),
    ...pageParams,
  });
  return (
    <Page title="Deliveries" intro="What other systems posted to the triggers, as they sent it; the newest first.">
      <Filters onClear={trigger ? () => void navigate({ search: { id } }) : undefined}>
        <SelectFilter
          label="Trigger"
          value={trigger}
          options={(triggers.data?.data ?? []).map((one) => [one.id, one.name])}
          onChange={(chosen) => void navigate({ search: { id, trigger: chosen } })}
        />
      </Filters>
      <div className={id ? css.split : undefined}>
        <Panel>
          <LoadedPages query={deliveries} empty={<NoDeliveries isFiltered={trigger !== undefined} />}>
            {(rows) => <DeliveryList deliveries={rows} shown={id} trigger={trigger} />}
          </LoadedPages>
        </Panel>
        {id && <DeliveryView id={id} key={id} onClose={() => void navigate({ search: { trigger } })} />}
      </div>
    </Page>
  );
}

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  const { id: org } = useOrg();
  return (
    <Empty title={isFiltered ? 'Nothing came in by this trigger yet.' : 'No deliveries yet.'}>
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
  trigger: string | undefined;
}

function DeliveryList({ deliveries, shown, trigger }: DeliveryListProps) {
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
            <Link to="/o/$org/deliveries" params={{ org }} search={{ trigger, id }} resetScroll={false}>
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
