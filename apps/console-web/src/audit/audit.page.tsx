import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { addressIn } from '../api/client.ts';
import type { InputOf } from '../api/types.ts';
import type { TimeSearch } from '../search-params.ts';
import { useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { InTrash } from '../trash/in-trash.tsx';
import { Button, DownloadLink } from '../ui/controls/button.tsx';
import { DataList, rowId } from '../ui/data/data-list.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { ChosenFilter, Filters, SelectFilter } from '../ui/data/filters.tsx';
import { eventPageParams, LoadedPages } from '../ui/data/pages.tsx';
import { TimeRangeFilter, useTimes } from '../ui/data/time-range.tsx';
import { DateTime } from '../ui/data/time.tsx';
import css from './audit.module.css';
import { authorName } from './author.ts';
import { Change, type Event } from './change.tsx';
import { recordTypes } from './record-types.ts';

const kindOptions = recordTypes.map((kind) => [kind, kind.replace('_', ' ')] as const);

type Narrowing = TimeSearch & { type?: string | undefined; actor?: string | undefined; record?: string | undefined };

export function AuditPage() {
  const { id: org, call } = useOrg();
  const search = useSearch({ from: '/signed-in/o/$org/settings/audit' });
  const { record: record_id, actor: actor_id, type, last, from, to } = search;
  const times = useTimes({ last, from, to });
  const navigate = useNavigate({ from: '/o/$org/settings/audit' });
  const narrow = (by: Narrowing) => void navigate({ search: (before) => ({ ...before, ...by }) });
  const query = {
    record_id,
    actor_id,
    record_type: recordTypes.find((kind) => kind === type),
    'created_at[gte]': times.from,
    'created_at[lt]': times.to,
  };
  const events = useInfiniteQuery({
    queryKey: ['listAudit', org, query],
    queryFn: ({ pageParam, signal }) => call('listAudit', { query: { ...query, after: pageParam } }, signal),
    ...eventPageParams,
  });
  const first = events.data?.pages[0]?.data[0];
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <Page
      title="Audit log"
      intro="Changes made in the console, by CLI, by API or by a workflow, newest first."
      actions={<ExportLinks query={query} />}
    >
      <Filters onClear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
        <SelectFilter
          label="Record type"
          value={type}
          options={kindOptions}
          onChange={(chosen) => narrow({ type: chosen })}
        />
        <TimeRangeFilter value={{ last, from, to }} onChange={narrow} />
        {actor_id && <ChosenFilter onClear={() => narrow({ actor: undefined })}>{actorText(first)}</ChosenFilter>}
        {record_id && <ChosenFilter onClear={() => narrow({ record: undefined })}>{recordText(first)}</ChosenFilter>}
      </Filters>
      {record_id && <InTrash recordId={record_id} />}
      <Panel>
        <LoadedPages query={events} noun={['event', 'events']} empty={<NoEvents isFiltered={isFiltered} />}>
          {(rows) => <EventList events={rows} onNarrow={narrow} />}
        </LoadedPages>
      </Panel>
    </Page>
  );
}

function ExportLinks({ query }: { query: InputOf<'exportAudit'>['query'] }) {
  const { id: org } = useOrg();
  const address = (format: 'csv' | 'json') =>
    addressIn('exportAudit', { params: { org }, query: { ...query, format } });
  return (
    <>
      <DownloadLink address={address('csv')}>Export CSV</DownloadLink>
      <DownloadLink address={address('json')}>Export JSON</DownloadLink>
    </>
  );
}

/**
 * Returns the label of the actor filter. The name comes from the first event, because all found events have this actor.
 */
const actorText = (found: Event | undefined) => (found ? `By ${authorName(found.actor)}` : 'One actor');
const recordText = (found: Event | undefined) => (found ? `Record ${nameOf(found)}` : 'One record');

function NoEvents({ isFiltered }: { isFiltered: boolean }) {
  return <Empty title={isFiltered ? 'No matching events' : 'No events yet'} />;
}

interface EventListProps {
  events: readonly Event[];
  onNarrow: (by: Narrowing) => void;
}

function EventList({ events, onNarrow }: EventListProps) {
  return (
    <DataList
      label="Audit events"
      rows={events}
      keyOf={rowId}
      columns={[
        { head: 'Time', isNarrow: true, cell: ({ created_at }) => <DateTime time={created_at} /> },
        {
          head: 'Actor',
          cell: ({ actor }) => (
            <span className={css.who}>
              <Filter by={actor.id} text={authorName(actor)} onChoose={(actor) => onNarrow({ actor })} />
            </span>
          ),
        },
        { head: 'Event', isNarrow: true, cell: ({ type }) => type.replace('_', ' ').replace('.', ' ') },
        {
          head: 'Record',
          cell: (event) => (
            <Filter by={event.record_id} text={nameOf(event)} onChoose={(record) => onNarrow({ record })} />
          ),
        },
        { head: 'Changes', cell: (event) => <Change event={event} /> },
      ]}
    />
  );
}

function nameOf({ record, record_id }: Event): string {
  const names = ['name', 'account_name', 'opportunity_name', 'email', 'last_name', 'subject'];
  const name = names.map((field) => record[field]).find((value) => typeof value === 'string' && value !== '');
  return typeof name === 'string' ? name : record_id.slice(0, 8);
}

function Filter({ by, text, onChoose }: { by: string | undefined; text: string; onChoose: (id: string) => void }) {
  if (!by) return text;
  return (
    <Button variant="link" title="Filter by this" onClick={() => onChoose(by)}>
      {text}
    </Button>
  );
}
