import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { TrashedRecord } from '../api/types.ts';
import { type TrashSearch, trashedKinds } from '../search-params.ts';
import { useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { ChosenFilter, Filters, SelectFilter } from '../ui/data/filters.tsx';
import { cursorPageParams, LoadedPages } from '../ui/data/pages.tsx';
import { TimeRangeFilter, useTimes } from '../ui/data/time-range.tsx';
import { DeletedRecord } from './deleted-record.tsx';
import { EraseDialog } from './erase-dialog.tsx';
import { RestoreDialog } from './restore-dialog.tsx';
import { TrashList } from './trash-list.tsx';

const kindOptions = trashedKinds.map((kind) => [kind, kind] as const);

export function TrashPage() {
  const { id: org, can, call } = useOrg();
  const search = useSearch({ from: '/signed-in/o/$org/trash' });
  const { resource, deletion, record, last, from, to } = search;
  const times = useTimes({ last, from, to });
  const navigate = useNavigate({ from: '/o/$org/trash' });
  const narrow = (by: TrashSearch) => void navigate({ search: (before) => ({ ...before, ...by }) });
  const [chosen, setChosen] = useState<{ act: 'see' | 'restore' | 'erase'; record: TrashedRecord }>();
  const query = {
    resource,
    deletion_id: deletion,
    record_id: record,
    'deleted_at[gte]': times.from,
    'deleted_at[lt]': times.to,
  };
  const records = useInfiniteQuery({
    queryKey: ['listTrash', org, query],
    queryFn: ({ pageParam, signal }) => call('listTrash', { query: { ...query, cursor: pageParam } }, signal),
    ...cursorPageParams,
  });
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const restore = (of: TrashedRecord) => setChosen({ act: 'restore', record: of });
  const close = () => setChosen(undefined);
  return (
    <Page title="Trash" intro="Deleted and merged records, newest first. They can be restored until they expire.">
      <Filters onClear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
        <SelectFilter
          label="Type"
          value={resource}
          options={kindOptions}
          onChange={(kind) => narrow({ resource: kind })}
        />
        <TimeRangeFilter value={{ last, from, to }} onChange={narrow} />
        {deletion && <ChosenFilter onClear={() => narrow({ deletion: undefined })}>Deleted together</ChosenFilter>}
        {record && <ChosenFilter onClear={() => narrow({ record: undefined })}>One record</ChosenFilter>}
      </Filters>
      <Panel>
        <LoadedPages
          query={records}
          noun={['record', 'records']}
          empty={<NoRecords isOne={record !== undefined} isFiltered={isFiltered} />}
        >
          {(rows) => (
            <TrashList
              records={rows}
              isOneDeletion={deletion !== undefined}
              onSee={(of) => setChosen({ act: 'see', record: of })}
              onRestore={can('work') ? restore : undefined}
            />
          )}
        </LoadedPages>
      </Panel>
      {chosen?.act === 'see' && (
        <DeletedRecord
          record={chosen.record}
          onRestore={can('work') ? restore : undefined}
          onErase={can('manage') ? (of) => setChosen({ act: 'erase', record: of }) : undefined}
          onClose={close}
        />
      )}
      {chosen?.act === 'restore' && <RestoreDialog record={chosen.record} onClose={close} />}
      {chosen?.act === 'erase' && <EraseDialog record={chosen.record} onClose={close} />}
    </Page>
  );
}

function NoRecords({ isOne, isFiltered }: { isOne: boolean; isFiltered: boolean }) {
  if (isOne) return <Empty title="This record is not in the trash">It was restored or erased, or it expired.</Empty>;
  if (isFiltered) return <Empty title="No matching records" />;
  return (
    <Empty title="The trash is empty">
      Deleted accounts, contacts, opportunities and activities appear here, so that you can restore them.
    </Empty>
  );
}
