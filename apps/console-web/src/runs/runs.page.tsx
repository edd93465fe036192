import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useLiveList } from '../api/live-list.ts';
import { useCall } from '../api/queries.ts';
import type { ListedRun, Run } from '../api/types.ts';
import { type RunsSearch, runStatuses } from '../search-params.ts';
import { OrgLink, useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { Button } from '../ui/controls/button.tsx';
import data from '../ui/data/data.module.css';
import { DataList, rowId } from '../ui/data/data-list.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { ChosenFilter, Filters, SelectFilter } from '../ui/data/filters.tsx';
import { LiveRows, type OnSee } from '../ui/data/live-rows.tsx';
import { DateTime, duration } from '../ui/data/time.tsx';
import { TimeRangeFilter, useTimes } from '../ui/data/time-range.tsx';
import { ChosenWorkflow } from '../workflows/chosen-workflow.tsx';
import { explained } from './error-text.ts';
import { NoRuns } from './no-runs.tsx';
import { RunState } from './run-state.tsx';

const pageRows = 100;
const statusOptions = runStatuses.map((status) => [status, status] as const);

export function RunsPage() {
  const given = useSearch({ from: '/signed-in/o/$org/runs' });
  const { last: _last, ...query } = { ...given, ...useTimes(given) };
  const navigate = useNavigate({ from: '/o/$org/runs' });
  const triggers = useCall('listTriggers', {});
  const { workflow: id } = query;
  const isFiltered = Object.values(given).some(Boolean);
  const narrow = (by: RunsSearch) => void navigate({ search: (before) => ({ ...before, ...by }) });
  return (
    <Page title="Runs" intro="Each run is one workflow processing one delivery. Newest first.">
      <Filters onClear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
        <SelectFilter
          label="Status"
          value={query.status}
          options={statusOptions}
          onChange={(status) => narrow({ status, step: undefined, code: undefined })}
        />
        <SelectFilter
          label="Trigger"
          value={query.trigger}
          options={(triggers.data?.data ?? []).map(({ id, name }) => [id, name])}
          onChange={(trigger) => narrow({ trigger })}
        />
        <TimeRangeFilter value={given} onChange={narrow} />
        {id && <ChosenWorkflow id={id} onClear={() => narrow({ workflow: undefined })} />}
        {(query.step ?? query.code) && (
          <ChosenFilter onClear={() => narrow({ step: undefined, code: undefined })}>{causeText(query)}</ChosenFilter>
        )}
      </Filters>
      <Panel>
        <Runs
          query={query}
          key={JSON.stringify(query)}
          empty={isFiltered ? <Empty title="No matching runs" /> : <NoRuns />}
          onWorkflow={(workflow) => narrow({ workflow })}
        />
      </Panel>
    </Page>
  );
}

interface RunsProps {
  query: RunsSearch;
  empty: ReactNode;
  onWorkflow: (id: string) => void;
}

function Runs({ query, empty, onWorkflow }: RunsProps) {
  const { id: org, call } = useOrg();
  const runs = useLiveList<ListedRun>({
    key: ['listRuns', org, query],
    read: (before, signal) => call('listRuns', { query: { ...query, before, limit: pageRows } }, signal),
  });
  return (
    <LiveRows list={runs} noun={['run', 'runs']} empty={empty}>
      {(rows, onSee) => <RunList runs={rows} onSee={onSee} onWorkflow={onWorkflow} />}
    </LiveRows>
  );
}

function causeText({ step, code }: RunsSearch): string {
  const where = step === undefined ? '' : step === '-' ? ' outside a step' : ` at ${step}`;
  return `Failed${where}${code === undefined ? '' : ` with ${code}`}`;
}

interface RunListProps {
  runs: readonly ListedRun[];
  label?: string;
  onWorkflow?: (id: string) => void;
  onSee?: OnSee;
}

export function RunList({ runs, label = 'Runs', onWorkflow, onSee }: RunListProps) {
  return (
    <DataList
      label={label}
      rows={runs}
      keyOf={rowId}
      onSee={onSee}
      columns={[
        { head: 'Started', isNarrow: true, width: '11.5rem', cell: (run) => <RunLink run={run} /> },
        {
          head: 'Status',
          width: '14.5%',
          cell: ({ status, wake_at, retry }) => <RunState status={status} wakeAt={wake_at} retry={retry} isBrief />,
        },
        { head: 'Workflow', width: '13%', cell: (run) => <WorkflowName run={run} onChoose={onWorkflow} /> },
        {
          head: 'Trigger',
          width: '11%',
          cell: ({ trigger, replay }) => (replay > 0 ? `${trigger}, replay ${replay}` : trigger),
        },
        { head: 'Duration', isNumber: true, width: '5.5rem', cell: (run) => took(run) },
        { head: 'Error', width: 'auto', cell: errorText },
      ]}
    />
  );
}

function errorText({ error, retry }: ListedRun): string | undefined {
  const of = error ?? retry;
  return of ? `${of.step ? `${of.step}: ` : ''}${explained(of)}` : undefined;
}

function WorkflowName({ run, onChoose }: { run: ListedRun; onChoose: ((id: string) => void) | undefined }) {
  const name = `${run.workflow} v${run.version}`;
  if (!onChoose) return <>{name}</>;
  return (
    <Button variant="link" title={`Show only runs of ${run.workflow}`} onClick={() => onChoose(run.workflow_id)}>
      {name}
    </Button>
  );
}

function RunLink({ run }: { run: ListedRun }) {
  return (
    <OrgLink className={data.rowLink} to="/o/$org/runs/$id" params={{ id: run.id }}>
      <DateTime time={run.created_at} />
    </OrgLink>
  );
}

/**
 * Formats the duration of a run, including waits but excluding the time between a failure and its retry. Returns '' for
 * a run that has not ended.
 */
export function took({ started_at, finished_at, idle_ms }: ListedRun | Run): string {
  if (!started_at || !finished_at) return '';
  return duration(Math.max(0, Date.parse(finished_at) - Date.parse(started_at) - idle_ms));
}
