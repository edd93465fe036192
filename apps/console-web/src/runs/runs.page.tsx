import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { useCall } from '../api/queries.ts';
import type { ListedRun } from '../api/types.ts';
import { runStatuses } from '../search-params.ts';
import { useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { DataList } from '../ui/data/data-list.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { Filters, SelectFilter } from '../ui/data/filters.tsx';
import { LoadedPages, pageParams, pagesPollMs } from '../ui/data/pages.tsx';
import { At, duration } from '../ui/data/time.tsx';
import { RunState } from './run-state.tsx';

const lookEveryMs = 5_000;
const statusOptions = runStatuses.map((status) => [status, status] as const);

export function RunsPage() {
  const org = useOrg();
  const query = useSearch({ from: '/signed-in/o/$org/runs' });
  const navigate = useNavigate({ from: '/o/$org/runs' });
  const triggers = useCall('listTriggers', { params: { org: org.id } });
  const runs = useInfiniteQuery({
    queryKey: ['listRuns', org.id, query],
    queryFn: ({ pageParam, signal }) =>
      call('listRuns', { params: { org: org.id }, query: { ...query, before: pageParam } }, signal),
    refetchInterval: ({ state }) => pagesPollMs(state.data, lookEveryMs),
    ...pageParams,
  });
  const isFiltered = Boolean(query.status || query.trigger || query.workflow);
  return (
    <Page title="Runs" intro="What workflows did with what came in; the newest first.">
      <Filters onClear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
        <SelectFilter
          label="Status"
          value={query.status}
          options={statusOptions}
          onChange={(status) => void navigate({ search: (before) => ({ ...before, status }) })}
        />
        <SelectFilter
          label="Trigger"
          value={query.trigger}
          options={(triggers.data?.data ?? []).map(({ id, name }) => [id, name])}
          onChange={(trigger) => void navigate({ search: (before) => ({ ...before, trigger }) })}
        />
        {query.workflow && <span>Of one workflow</span>}
      </Filters>
      <Panel>
        <LoadedPages query={runs} empty={<NoRuns isFiltered={isFiltered} />}>
          {(rows) => <RunList runs={rows} />}
        </LoadedPages>
      </Panel>
    </Page>
  );
}

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="Nothing matches." />;
  return (
    <Empty title="No runs yet.">
      <p>A delivery to a trigger starts a run of each workflow that is assigned to it.</p>
    </Empty>
  );
}

export function RunList({ runs, label = 'Runs' }: { runs: readonly ListedRun[]; label?: string }) {
  return (
    <DataList
      label={label}
      rows={runs}
      keyOf={({ id }) => id}
      columns={[
        { head: 'Started', isNarrow: true, cell: (run) => <RunLink run={run} /> },
        { head: 'State', isNarrow: true, cell: ({ status, wake_at }) => <RunState status={status} wakeAt={wake_at} /> },
        { head: 'Workflow', cell: ({ workflow, version }) => `${workflow} v${version}` },
        { head: 'Trigger', cell: ({ trigger, replay }) => (replay > 0 ? `${trigger}, replay ${replay}` : trigger) },
        { head: 'Took', isNumber: true, cell: (run) => took(run) },
        { head: 'Error', cell: ({ error }) => error && `${error.step ? `${error.step}: ` : ''}${error.message}` },
      ]}
    />
  );
}

function RunLink({ run }: { run: ListedRun }) {
  const { id: org } = useOrg();
  return (
    <Link to="/o/$org/runs/$id" params={{ org, id: run.id }}>
      <At of={run.created_at} />
    </Link>
  );
}

/** From its start to its end, waits included. */
export function took({ started_at, finished_at }: Pick<ListedRun, 'started_at' | 'finished_at'>): string {
  if (!started_at || !finished_at) return '';
  return duration(Date.parse(finished_at) - Date.parse(started_at));
}
