import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { useLiveList } from '../api/live-list.ts';
import type { ListedDelivery } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import data from '../ui/data/data.module.css';
import { DataList, idOf } from '../ui/data/data-list.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { bytesText } from '../ui/data/facts.tsx';
import { LiveRows, type OnSee } from '../ui/data/live-rows.tsx';
import { At } from '../ui/data/time.tsx';
import { useTimes } from '../ui/data/time-range.tsx';
import { RunState } from '../runs/run-state.tsx';
import type { DeliveriesSearch } from '../search-params.ts';
import css from './deliveries.module.css';
import { DeliveryFilters } from './delivery-filters.tsx';
import { DeliveryView } from './delivery.view.tsx';
import { FoundDeliveries } from './found-deliveries.tsx';
import { Histogram } from './histogram.tsx';
import { RefusedPosts } from './refused-posts.tsx';
import { SearchField } from './search-field.tsx';

const lookEveryMs = 5_000;
const pageRows = 100;

/** The list, and beside it the delivery that the address names; or what was refused. */
export function DeliveriesPage() {
  const { id, show, ...given } = useSearch({ from: '/signed-in/o/$org/deliveries' });
  const { last: _last, ...query } = { ...given, ...useTimes(given) };
  const navigate = useNavigate({ from: '/o/$org/deliveries' });
  const isFiltered = Object.values(given).some(Boolean);
  const { from, to, trigger, ...unindexed } = query;
  return (
    <Page title="Deliveries" intro="What other systems posted to the triggers, as they sent it; the newest first.">
      <DeliveryFilters
        query={given}
        onChange={(by) => void navigate({ search: (before) => ({ ...before, ...by }) })}
        onClear={isFiltered ? () => void navigate({ search: { id, show } }) : undefined}
      />
      {query.outcome !== 'refused' && (
        <SearchField
          query={query}
          onSearch={(search) =>
            void navigate({
              search: (before) => ({ ...before, text: undefined, where: undefined, ...search, id: undefined }),
            })
          }
        />
      )}
      {from && !Object.values(unindexed).some(Boolean) && (
        <Histogram
          of={{ from, to, trigger }}
          onChoose={(times) => void navigate({ search: (before) => ({ ...before, last: 'own', ...times }) })}
        />
      )}
      {query.outcome === 'refused' ? (
        <RefusedPosts query={query} />
      ) : (
        <div className={id ? css.split : undefined}>
          <Panel>
            {(query.text ?? query.where) === undefined ? (
              <Stored query={query} shown={id} key={JSON.stringify(query)} />
            ) : (
              <FoundDeliveries query={query} key={JSON.stringify(query)}>
                {(rows) => <DeliveryList deliveries={rows} shown={id} />}
              </FoundDeliveries>
            )}
          </Panel>
          {id && <DeliveryView id={id} key={id} show={show} onClose={() => void navigate({ search: given })} />}
        </div>
      )}
    </Page>
  );
}

interface StoredProps {
  query: Omit<DeliveriesSearch, 'id' | 'show' | 'text' | 'where'>;
  shown: string | undefined;
}

function Stored({ query: { outcome, ...query }, shown }: StoredProps) {
  const { id: org } = useOrg();
  const given = { ...query, outcome: outcome === 'refused' ? undefined : outcome };
  const deliveries = useLiveList<ListedDelivery>({
    key: ['listDeliveries', org, given],
    read: (before, signal) =>
      call('listDeliveries', { params: { org }, query: { ...given, before, limit: pageRows } }, signal),
    everyMs: lookEveryMs,
  });
  const isFiltered = Object.values(given).some(Boolean);
  return (
    <LiveRows list={deliveries} empty={<NoDeliveries isFiltered={isFiltered} />}>
      {(rows, onSee) => <DeliveryList deliveries={rows} shown={shown} onSee={onSee} />}
    </LiveRows>
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
  /** Where more is read as the list is scrolled. */
  onSee?: OnSee | undefined;
}

function DeliveryList({ deliveries, shown, onSee }: DeliveryListProps) {
  const { id: org } = useOrg();
  // Beside the list stands one with all that it is.
  const isSplit = shown !== undefined;
  return (
    <DataList
      label="Deliveries"
      rows={deliveries}
      keyOf={idOf}
      isCurrent={({ id }) => id === shown}
      onSee={onSee}
      columns={[
        {
          head: 'Came in',
          isNarrow: true,
          width: '11.5rem',
          cell: ({ id, received_at }) => (
            <Link
              className={data.rowLink}
              to="/o/$org/deliveries"
              params={{ org }}
              search={(before) => ({ ...before, id })}
              resetScroll={false}
            >
              <At of={received_at} />
            </Link>
          ),
        },
        { head: 'Trigger', width: '20%', cell: (delivery) => delivery.trigger },
        ...(isSplit ? [] : [sizeColumn]),
        { head: 'Started', width: 'auto', cell: ({ runs }) => <Started runs={runs} isBrief={isSplit} /> },
      ]}
    />
  );
}

const sizeColumn = {
  head: 'Size',
  isNumber: true,
  width: '4.5rem',
  cell: ({ bytes }: ListedDelivery) => bytesText(bytes),
};

/** What a delivery started; briefly, the run that needs somebody most and how many others there are. */
function Started({ runs, isBrief }: Pick<ListedDelivery, 'runs'> & { isBrief: boolean }) {
  if (runs.length === 0) return 'nothing';
  if (isBrief && runs.length > 1) {
    const { workflow, status } = runs.toSorted((one, other) => rankOf(one.status) - rankOf(other.status))[0]!;
    return (
      <>
        {workflow} <RunState status={status} /> <span title={namesOf(runs)}>+{runs.length - 1}</span>
      </>
    );
  }
  return (
    <ul className={css.runs}>
      {runs.map(({ id, workflow, status }) => (
        <li key={id}>
          {workflow} <RunState status={status} />
        </li>
      ))}
    </ul>
  );
}

/** What failed stands first, then what goes on. */
const ranks: readonly string[] = [
  'failed',
  'running',
  'waiting',
  'queued',
] satisfies ListedDelivery['runs'][number]['status'][];

function rankOf(status: string): number {
  const rank = ranks.indexOf(status);
  return rank === -1 ? ranks.length : rank;
}

const namesOf = (runs: ListedDelivery['runs']) =>
  runs.map(({ workflow, status }) => `${workflow} ${status}`).join(', ');
