import { orNotFound } from '@relata/schemas/errors';
import { findRun, findRunStep, type Run } from '@relata/workflows/runs';
import type { CommandContext } from '../../command/command.ts';
import { describeRun, isLeftOut } from './runs.view.ts';

type RunId = Pick<Run, 'org_id' | 'id'>;

/** Reads a run with its steps. If the run is large, says how to see the inputs and outputs that are left out. */
export async function readRun({ database, afterwards }: CommandContext, { org_id: orgId, id }: RunId) {
  const run = orNotFound(await findRun(database, orgId, id), `The run ${id} no longer exists. See: relata runs list`);
  const count = run.steps.filter(isLeftOut).length;
  if (count > 0)
    afterwards(
      `Run ${id} is large: the inputs and outputs of ${count} of its ${run.steps.length} steps are left out. ` +
        `To show them for one step: relata runs show ${id} --step STEP`,
    );
  return describeRun(run);
}

/** Reads the input and output of one step. */
export async function readStep({ database }: CommandContext, { org_id: orgId, id: run }: RunId, step: string) {
  const message = `The run ${run} has no step ${step}. See: relata runs show ${run}`;
  const { input, output } = orNotFound(await findRunStep(database, orgId, run, step), message);
  return { run, step, input, output };
}
