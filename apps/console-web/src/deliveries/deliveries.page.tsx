import { useNavigate, useSearch } from '@tanstack/react-router';
import { useLiveList } from '../api/live-list.ts';
import type { ListedDelivery } from '../api/types.ts';
import { OrgLink, useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { LiveRows } from '../ui/data/live-rows.tsx';
import { TimeRangeFilter, useTimes } from '../ui/data/time-range.tsx';
import type { DeliveriesSearch, DeliveryOutcome } from '../search-params.ts';
import css from './deliveries.module.css';
import { DeliveryList } from './delivery-list.tsx';
import { DeliveryView } from './delivery.view.tsx';
import { FoundDeliveries } from './found-deliveries.tsx';
import { Histogram } from './histogram.tsx';
import { RefusedPosts } from './refused-posts.tsx';
import { SearchField } from './search-field.tsx';
import { useCall } from '../api/queries.ts';
import { Filters, SelectFilter } from '../ui/data/filters.tsx';
import { ChosenWorkflow } from '../workflows/chosen-workflow.tsx';

const pageRows = 100;

export function DeliveriesPage() {
  const { id, show, ...given } = useSearch({ from: '/signed-in/o/$org/deliveries' });
  const { last: _last, ...query } = { ...given, ...useTimes(given) };
  const navigate = useNavigate({ from: '/o/$org/deliveries' });
  const narrow = (by: DeliveriesSearch) => void navigate({ search: (before) => ({ ...before, ...by }) });
  const isFiltered = Object.values(given).some(Boolean);
  const { from, to, trigger, ...unindexed } = query;
  const close = () => {
    // Focuses the row from which the delivery was opened.
    const opener = document.querySelector('tr[aria-current]') ?? document.querySelector('tbody tr');
    opener?.querySelector('a')?.focus({ preventScroll: true });
    void navigate({ search: given });
  };
  return (
    <Page title="Deliveries" intro="Requests that other systems sent to your triggers, newest first.">
      <DeliveryFilters
        query={given}
        onChange={narrow}
        onClear={isFiltered ? () => void navigate({ search: { id, show } }) : undefined}
      />
      {query.outcome !== 'refused' && (
        <SearchField
          query={query}
          onSearch={(search) => narrow({ text: undefined, where: undefined, ...search, id: undefined })}
        />
      )}
      {from && !Object.values(unindexed).some(Boolean) && (
        <Histogram query={{ from, to, trigger }} onChoose={(times) => narrow({ last: 'own', ...times })} />
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
          {id && <DeliveryView id={id} key={id} show={show} onClose={close} />}
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
  const { id: org, call } = useOrg();
  const given = { ...query, outcome: outcome === 'refused' ? undefined : outcome };
  const deliveries = useLiveList<ListedDelivery>({
    key: ['listDeliveries', org, given],
    read: (before, signal) => call('listDeliveries', { query: { ...given, before, limit: pageRows } }, signal),
  });
  const isFiltered = Object.values(given).some(Boolean);
  return (
    <LiveRows list={deliveries} noun={['delivery', 'deliveries']} empty={<NoDeliveries isFiltered={isFiltered} />}>
      {(rows, onSee) => <DeliveryList deliveries={rows} shown={shown} onSee={onSee} />}
    </LiveRows>
  );
}

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  return (
    <Empty title={isFiltered ? 'No matching deliveries' : 'No deliveries yet'}>
      <p>
        <OrgLink to="/o/$org/triggers">Open a trigger</OrgLink> to get its URL, then send a request to it. Deliveries
        appear here within seconds.
      </p>
    </Empty>
  );
}

type Query = Omit<DeliveriesSearch, 'id' | 'show'>;

const outcomes = [
  ['started', 'Started runs'],
  ['failed', 'Run failed'],
  ['nothing', 'No runs'],
  ['refused', 'Refused'],
] as const satisfies readonly (readonly [DeliveryOutcome, string])[];

interface DeliveryFiltersProps {
  query: Query;
  onChange: (by: Query) => void;
  onClear: (() => void) | undefined;
}

function DeliveryFilters({ query, onChange, onClear }: DeliveryFiltersProps) {
  const triggers = useCall('listTriggers', {});
  return (
    <Filters onClear={onClear}>
      <SelectFilter
        label="Trigger"
        value={query.trigger}
        options={(triggers.data?.data ?? []).map(({ id, name }) => [id, name])}
        onChange={(trigger) => onChange({ trigger })}
      />
      <SelectFilter<DeliveryOutcome>
        label="Outcome"
        value={query.outcome}
        options={outcomes}
        onChange={(outcome) => onChange({ outcome })}
      />
      <TimeRangeFilter value={query} onChange={onChange} />
      {query.workflow && query.outcome !== 'refused' && (
        <ChosenWorkflow id={query.workflow} onClear={() => onChange({ workflow: undefined })} />
      )}
    </Filters>
  );
}
