import { shortText } from '@relata/schemas';
import { replayFailedRuns } from '@relata/workflows/deliveries';
import { listProblems, problemStateNames, setProblemState } from '@relata/workflows/runs';
import { z } from 'zod';
import { command, type CommandGroup } from '../../command/command.ts';
import { noteRest } from '../../command/page-options.ts';
import { value, integer } from '../../command/parameter.ts';
import { tableText } from '../../output/result.format.ts';
import { org } from '../orgs/organization-option.ts';
import { requireWorkflow } from '../workflows/workflow-reference.ts';

const bulkMax = 10_000;
const columns = ['workflow', 'step', 'code', 'runs', 'last_failed_at', 'message'] as const;

const list = command({
  name: 'list',
  summary: 'List problems: failed runs, and deliveries that lack an input, by cause, the most frequent first',
  options: {
    org,
    state: value(
      'S',
      z.enum(problemStateNames).default('open'),
      `One of: ${problemStateNames.join(', ')} (default: open)`,
    ),
  },
  examples: ['problems list --org ORG_ID', 'problems list --org ORG_ID --state ignored'],
  run: async ({ database, afterwards }, { org, state }) => {
    const { problems, has_more: hasMore, looked_back_to: from } = await listProblems(database, org, state);
    if (hasMore) afterwards(`There are more problems. Only the ${problems.length} most frequent are shown.`);
    if (from !== null) afterwards(`Only failures since ${new Date(from).toISOString()} were examined.`);
    return problems;
  },
  columns,
});

const cause = {
  org,
  workflow: { ...value('WORKFLOW', z.string().min(1), 'Id or name of the workflow'), resolve: requireWorkflow },
  step: value(
    'STEP',
    shortText(),
    'Step at which the runs failed; - for none; TRIGGER_ID/INPUT for deliveries that lack an input',
  ),
  code: value('CODE', shortText(), 'Code of the error; - for none'),
};

const example = '--org ORG_ID --workflow inbound-lead --step notify --code bad_status';

/** Declares a command that sets the state of a problem. */
function setting(name: string, state: (typeof problemStateNames)[number], summary: string) {
  return command({
    name,
    summary,
    options: cause,
    examples: [`problems ${name} ${example}`],
    run: (context, { org, workflow: { id: workflowId }, step, code }) =>
      setProblemState(context, context.actorIn(org), { workflowId, step, code, state }),
    view: ({ put_aside: _aside, examples: _examples, ...problem }) => tableText([problem], ['state', ...columns]),
  });
}

const replay = command({
  name: 'replay',
  summary: 'Start the workflow again for the deliveries of a problem, with its newest version and the current mapping',
  options: {
    ...cause,
    limit: value(
      'N',
      integer(1, bulkMax).default(1_000),
      'Maximum number of runs or deliveries, newest first (default: 1000)',
    ),
  },
  examples: [`problems replay ${example}`],
  run: async (context, { org, workflow: { id: workflowId }, ...which }) => {
    const found = await replayFailedRuns(context, context.actorIn(org), { workflowId, ...which });
    const { started, refused } = found;
    noteRest(context, found);
    const left = refused.map(({ id, message }) => ({ id: null, replaces: id, refusal: message }));
    return [...started.map((run) => ({ ...run, refusal: null })), ...left];
  },
  columns: ['replaces', 'id', 'refusal'],
});

export const problems: CommandGroup = {
  name: 'problems',
  summary: 'Causes of failed runs and of refused starts',
  commands: [
    list,
    setting('resolve', 'resolved', 'Close a problem until it happens again'),
    setting('ignore', 'ignored', 'Ignore a problem until it is reopened; its failures are still counted'),
    setting('reopen', 'open', 'Open a problem that was resolved or ignored'),
    replay,
  ],
};
