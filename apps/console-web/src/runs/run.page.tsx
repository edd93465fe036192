import { useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useCall } from '../api/queries.ts';
import type { Run } from '../api/types.ts';
import { OrgLink, useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { Button } from '../ui/controls/button.tsx';
import { Id, CliCommand } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { DescriptionList } from '../ui/data/description-list.tsx';
import { JsonTree } from '../ui/data/json-tree.tsx';
import { LoadedRecord } from '../ui/data/loaded.tsx';
import { DateTime } from '../ui/data/time.tsx';
import { ErrorAlert } from '../ui/data/error-alert.tsx';
import { FailedStep, findFailedStep } from './failed-step.tsx';
import { mainAction, RetryOutcome, RunActs, useRunActs } from './run-actions.tsx';
import { isOver, RunState } from './run-state.tsx';
import { took } from './runs.page.tsx';
import css from './runs.module.css';
import { StepView } from './step.view.tsx';
import { Waterfall } from './waterfall.tsx';
import { useRetryOptions } from './retry-options.ts';

const lookEveryMs = 1_000;
const waitingLookMs = 30_000;

export function RunPage() {
  const { id } = useParams({ from: '/signed-in/o/$org/runs/$id' });
  const run = useCall('getRun', { params: { id } }, { everyMs: (output) => output && lookMs(output.data) });
  return <LoadedRecord query={run}>{({ data }) => <RunView run={data} key={id} />}</LoadedRecord>;
}

/**
 * Returns the polling interval in ms. A waiting run is polled when it is due to continue, and at least every 30 s,
 * because somebody may cancel it.
 */
function lookMs({ status, wake_at }: Run): number | undefined {
  if (isOver(status)) return undefined;
  const leftMs = wake_at ? Date.parse(wake_at) - Date.now() : 0;
  return Math.min(waitingLookMs, Math.max(lookEveryMs, leftMs));
}

function RunView({ run }: { run: Run }) {
  const { can } = useOrg();
  const { step: chosen } = useSearch({ from: '/signed-in/o/$org/runs/$id' });
  const failed = findFailedStep(run);
  const shown = run.steps.find(({ path }) => path === (chosen ?? failed?.path)) ?? firstWithValues(run.steps);
  const side = useScrolledTo(chosen);
  const options = useRetryOptions(run);
  const { failure, attempt, retried } = useRunActs(run);
  const notStarted = isOver(run.status) ? 'Never' : 'Not yet';
  const acts = can('work') && <RunActs run={run} options={options} failed={failed?.path} attempt={attempt} />;
  return (
    <Page title={`${run.workflow} v${run.version}`} actions={acts}>
      {failure && <ErrorAlert failure={failure} />}
      <RetryOutcome run={run} retried={retried} />
      {run.status === 'failed' && <FailedStep run={run} step={failed} options={options} />}
      <Panel>
        <DescriptionList
          isDense
          facts={[
            ['Status', <RunState key="status" status={run.status} wakeAt={run.wake_at} retry={run.retry} />],
            ['Started', run.started_at ? <DateTime key="started" time={run.started_at} /> : notStarted],
            ['Duration', took(run) || '–'],
            [
              'Workflow',
              <OrgLink key="workflow" to="/o/$org/workflows/$id" params={{ id: run.workflow_id }}>
                {run.workflow}
              </OrgLink>,
            ],
            ['Delivery', <DeliveryLink key="delivery" run={run} />],
            ['ID', <Id key="id" id={run.id} />],
          ]}
        />
      </Panel>
      <div className={css.split}>
        <Panel title="Steps">
          <Waterfall run={run} shown={shown?.path} />
        </Panel>
        <div className={css.side} tabIndex={0} role="region" aria-label="Step details" ref={side}>
          {shown && (
            <div className={css.back}>
              <Button variant="quiet" onClick={goBack}>
                <span aria-hidden>↑</span> Back to steps
              </Button>
            </div>
          )}
          {shown && <StepView run={run} step={shown} key={shown.path} />}
          <Panel title="Inputs">
            <div className={css.part}>
              <JsonTree value={run.inputs} name="inputs" />
            </div>
          </Panel>
        </div>
      </div>
      <CliCommand command={relata('runs', mainAction(run, can('work')), run.id)} />
    </Page>
  );
}

/** Returns the first step that was not skipped, since a skipped one has nothing to show. */
const firstWithValues = (steps: Run['steps']) => steps.find(({ status }) => status !== 'skipped') ?? steps[0];

/** Scrolls to the details of a step when it is selected; on a narrow screen they are below the list. */
function useScrolledTo(chosen: string | undefined) {
  const side = useRef<HTMLDivElement>(null);
  const before = useRef(chosen);
  useEffect(() => {
    const isAnother = before.current !== chosen;
    before.current = chosen;
    if (isAnother && matchMedia('(width < 1000px)').matches) side.current!.scrollIntoView({ block: 'start' });
  }, [chosen]);
  return side;
}

function goBack(): void {
  const line = document.querySelector<HTMLElement>('[aria-label=Steps] [data-shown] a');
  line?.scrollIntoView({ block: 'center' });
  line?.focus({ preventScroll: true });
}

function DeliveryLink({ run }: { run: Run }) {
  return (
    <>
      <OrgLink to="/o/$org/deliveries" search={{ id: run.delivery_id }}>
        {run.trigger}
      </OrgLink>
      {run.replay > 0 && `, replay ${run.replay}`}
    </>
  );
}
