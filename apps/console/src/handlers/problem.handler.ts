import { listProblems, listRunStates, retryFailedPage } from '@relata/workflows/runs';
import { type ConsoleContext, type ConsoleHandlers, onBehalf } from './console-context.ts';
import { changed } from './run.handler.ts';

/** What runs fail of, and retrying all runs of one cause: the operations of `workflows`. */
export function problemHandlers(
  context: ConsoleContext,
): ConsoleHandlers<'listProblems' | 'retryProblem' | 'listRunStates'> {
  return {
    listProblems: async (_input, { caller: { orgId } }) => {
      const { problems, ...more } = await listProblems(context.database.of(orgId), orgId);
      return { data: problems, ...more };
    },
    retryProblem: async ({ body: { workflow: workflowId, ...which } }, { caller, exchange }) => {
      const page = await retryFailedPage(...onBehalf(context, caller, exchange), { workflowId, ...which });
      return { data: { retried: page.retried.map(changed), next: page.next ?? null } };
    },
    listRunStates: async ({ body: { ids } }, { caller: { orgId } }) => ({
      data: await listRunStates(context.database.of(orgId), orgId, ids),
    }),
  };
}
