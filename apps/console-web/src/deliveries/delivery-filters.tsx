import { useCall } from '../api/queries.ts';
import type { DeliveriesSearch, DeliveryOutcome } from '../search-params.ts';
import { useOrg } from '../shell/org.ts';
import { ChosenFilter, Filters, SelectFilter } from '../ui/data/filters.tsx';
import { TimeRangeFilter } from '../ui/data/time-range.tsx';

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

export function DeliveryFilters({ query, onChange, onClear }: DeliveryFiltersProps) {
  const { id: org } = useOrg();
  const triggers = useCall('listTriggers', { params: { org } });
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
        <ChosenFilter onClear={() => onChange({ workflow: undefined })}>One workflow</ChosenFilter>
      )}
    </Filters>
  );
}
