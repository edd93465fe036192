import { useState } from 'react';
import { asFailure } from '../api/failure.ts';
import { queryClient, refresh, useCall } from '../api/queries.ts';
import type { OutputOf, Delivery } from '../api/types.ts';
import { RunState } from '../runs/run-state.tsx';
import { OrgLink, useOrg } from '../shell/org.ts';
import { CliCommand } from '../ui/controls/copy.tsx';
import { Checkbox } from '../ui/controls/field.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { countedText } from '../ui/data/count.ts';
import { Loaded } from '../ui/data/loaded.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import css from './deliveries.module.css';
import { ActionButton } from '../ui/controls/action-button.tsx';

type Preview = OutputOf<'getReplayPreview'>['data'];
type Replayed = OutputOf<'replayDelivery'>['data'];

export function Replay({ delivery }: { delivery: Delivery }) {
  const { can, call } = useOrg();
  const [replayed, setReplayed] = useState<Replayed>();
  const [isWhole, setWhole] = useState(false);
  const query = isWhole ? { all: 'true' as const } : {};
  const preview = useCall('getReplayPreview', { params: { id: delivery.id }, query }, { isEnabled: can('work') });
  if (!can('work')) return null;
  const starts = preview.data?.data.starts.length ?? 0;
  const isRefused = preview.error !== null && asFailure(preview.error).code === 'conflict';
  const replay = async () => {
    try {
      const { data } = await call('replayDelivery', { params: { id: delivery.id }, query });
      setReplayed(data);
      notify(`${countedText(data.runs.length, 'run')} started.`);
    } finally {
      // Fetches again even after a refusal, because somebody may have changed the shown data.
      await refresh('getDelivery', 'listDeliveries', 'listRuns', 'getReplayPreview');
      // Updates the row of a search, even if the delivery has been closed.
      await queryClient.refetchQueries({
        queryKey: ['getDelivery', { params: { id: delivery.id } }],
        type: 'inactive',
      });
    }
  };
  return (
    <div className={css.part}>
      {preview.error && !preview.data ? (
        <p role="alert">{asFailure(preview.error).message}</p>
      ) : (
        <Loaded query={preview} lines={2}>
          {({ data }) => <WillStart preview={data} runs={delivery.runs} />}
        </Loaded>
      )}
      {delivery.skipped.some(({ reason }) => reason === 'refused' || reason === 'replayed') && (
        <Checkbox checked={isWhole} onChange={(event) => setWhole(event.target.checked)}>
          Replay all workflows
        </Checkbox>
      )}
      <ActionButton shortcut="r" run={replay} disabled={(preview.data !== undefined || isRefused) && starts === 0}>
        Replay
      </ActionButton>
      {replayed && <HasStarted replayed={replayed} runs={delivery.runs} />}
      <CliCommand command={relata('deliveries', 'replay', delivery.id, ...(isWhole ? ['--all'] : []))} />
    </div>
  );
}

function WillStart({ preview, runs }: { preview: Preview; runs: Delivery['runs'] }) {
  const { starts, skipped, problems, repeated } = preview;
  const again = new Map(repeated.map(({ workflow_id, steps }) => [workflow_id, steps]));
  return (
    <>
      <p>
        {starts.length === 0
          ? 'A replay would not start any runs:'
          : 'A replay starts new runs with the current mappings and filters:'}
      </p>
      <ul aria-label="Replay preview">
        {starts.map(({ workflow_id, workflow, version, fails }) => (
          <li key={workflow_id}>
            {workflow} v{version}
            {wasText(runs, workflow, version)}
            {again.has(workflow_id) && `; repeats: ${again.get(workflow_id)!.join(', ')}`}
            {fails && `; ${fails.is_certain ? 'will fail' : 'may fail'} at ${fails.step}: ${fails.message}`}
          </li>
        ))}
        {problems.map((problem) => (
          <li key={problem}>Not started: {problem}</li>
        ))}
        {skipped.map((each) => (
          <li key={each.workflow_id}>{skipText(each)}</li>
        ))}
        {starts.length + skipped.length + problems.length === 0 && <li>No workflow is assigned to the trigger.</li>}
      </ul>
    </>
  );
}

/** Returns the version of the last run of the workflow, if it differs from the given one. */
function wasText(runs: Delivery['runs'], workflow: string, version: number): string {
  const last = runs.findLast((run) => run.workflow === workflow);
  return last && last.version !== version ? ` (was v${last.version})` : '';
}

function HasStarted({ replayed, runs }: { replayed: Replayed; runs: Delivery['runs'] }) {
  const known = new Map(runs.map((run) => [run.id, run]));
  return (
    <ul aria-label="Replay result" className={css.started}>
      {replayed.runs.map((id) => {
        const run = known.get(id);
        return (
          <li key={id}>
            <OrgLink to="/o/$org/runs/$id" params={{ id }}>
              {run ? `${run.workflow} v${run.version}` : `Run ${id.slice(0, 8)}`}
            </OrgLink>{' '}
            {run && <RunState status={run.status} />}
          </li>
        );
      })}
      {replayed.skipped.map((each) => (
        <li key={each.workflow_id}>{skipText(each)}</li>
      ))}
    </ul>
  );
}

type Skipped = Delivery['skipped'][number] & { filter?: string | null };

const whyText: Record<Skipped['reason'], string> = {
  filtered: 'excluded by the filter',
  filter_failed: 'filter failed',
  refused: 'not started',
  replayed: 'started by a replay',
};

export function skipText({ workflow, reason, message, problems = [], filter }: Skipped): string {
  const name = workflow ?? 'Deleted workflow';
  const by = filter ? ` ${filter}` : '';
  if (reason === 'replayed' && message !== undefined) return `${name}: ${message}`;
  const details = [message, ...problems.map((each) => each.message)].filter(Boolean).join('; ');
  return `${name}: ${whyText[reason]}${by}${details ? `: ${details}` : ''}`;
}
