import { type IdlePeriod, findIdlePeriods, withoutIdlePeriods } from '@relata/schemas/idle-periods';
import type { Run, RunDetail, RunStep, StepError } from '@relata/workflows/runs';
import { type Column, printable, recordText, valueText } from '../../output/result.format.ts';

/** Returns a run for `--json`, with its steps identified by their path. */
export function describeRun({ steps, ...run }: RunDetail) {
  return { ...run, steps: steps.map((step) => ({ id: step.path, ...step })) };
}

/** Returns true if the input and the output of a step were not read, because those of the whole run are too large. */
export const isLeftOut = ({ input, output }: RunStep) => input === undefined && output === undefined;

export function runText({ steps, ...run }: RunDetail): string {
  const { workflow_id: _workflow, trigger_id: _trigger, version, error, ...fields } = run;
  const shown = { ...fields, workflow: `${run.workflow}, version ${version}`, error: error && errorText(error) };
  const idlePeriods = findIdlePeriods({ ...run, steps });
  const timeline =
    steps.length > 0 ? steps.map((step) => stepText(step, idlePeriods)).join('\n') : 'No step has started.';
  return `${recordText(shown)}\n\nSTEPS\n${timeline}`;
}

function stepText(step: RunStep, idlePeriods: readonly IdlePeriod[]): string {
  const { path, use, status, attempts, started_at: startedAt } = step;
  const times = attempts === 1 ? '' : `${attempts} attempts`;
  const head = [path, use, status, times, startedAt ?? '', durationText(step, idlePeriods)].filter(
    (part) => part !== '',
  );
  return [printable(head.join('  ')), ...detailsOf(step).map((line) => `    ${line}`)].join('\n');
}

function detailsOf(step: RunStep): string[] {
  const { failures, error, status, wake_at } = step;
  return [
    ...failures.map(
      (failure) =>
        `attempt ${failure.attempt}, ${failure.started_at} to ${failure.finished_at}: ${printable(errorText(failure.error))}`,
    ),
    ...valuesOf(step),
    ...(error === null ? [] : [`error   ${printable(errorText(error))}`]),
    ...(status === 'waiting' && wake_at !== null ? [`resumes at ${wake_at}`] : []),
  ];
}

function valuesOf(step: RunStep): string[] {
  if (isLeftOut(step)) return ['(input and output left out)'];
  const { input, output } = step;
  return [
    ...(input === null ? [] : [`input   ${valueText(JSON.stringify(input))}`]),
    ...(output === null ? [] : [`output  ${valueText(JSON.stringify(output))}`]),
  ];
}

/** Formats the duration of a step, without the time in which the run waited for a retry. */
function durationText({ started_at, finished_at }: RunStep, idlePeriods: readonly IdlePeriod[]): string {
  if (started_at === null || finished_at === null) return '';
  const own = (at: string) => withoutIdlePeriods(idlePeriods, Date.parse(at));
  return `took ${own(finished_at) - own(started_at)} ms`;
}

export function errorText({ code, message, step }: StepError): string {
  return `${step === undefined ? '' : `step ${step}: `}${message} (${code})`;
}

export const runColumns: readonly Column<Run>[] = [
  'id',
  'workflow',
  'status',
  'trigger',
  'created_at',
  'finished_at',
  ['error', ({ error }) => error && errorText(error)],
];
