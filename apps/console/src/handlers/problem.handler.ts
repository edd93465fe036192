import { replayFailedPage } from '@relata/workflows/deliveries';
import { listProblems, listRunStates, retryFailedPage, setProblemState } from '@relata/workflows/runs';
import { type ConsoleContext, type ConsoleHandlers, onBehalf } from './console-context.ts';

export function problemHandlers(context: ConsoleContext) {
  return {
    listProblems: async ({ query: { state } }, { caller: { orgId } }) => {
      const { problems, ...more } = await listProblems(context.database.of(orgId), orgId, state);
      return { data: problems, ...more };
    },
    setProblemState: async ({ body: { workflow: workflowId, seen, ...which } }, { caller, exchange }) => {
      const known = seen && { runs: seen.runs, lastFailedAt: seen.last_failed_at };
      const given = { workflowId, ...which, seen: known };
      return { data: await setProblemState(...onBehalf(context, caller, exchange), given) };
    },
    retryProblem: async ({ body: { workflow: workflowId, latest: isLatest, ...which } }, { caller, exchange }) => {
      const page = await retryFailedPage(...onBehalf(context, caller, exchange), { workflowId, isLatest, ...which });
      return { data: { ...page, next: page.next ?? null } };
    },
    replayProblem: async ({ body: { workflow: workflowId, ...which } }, { caller, exchange }) => {
      const page = await replayFailedPage(...onBehalf(context, caller, exchange), { workflowId, ...which });
      return { data: { ...page, next: page.next ?? null } };
    },
    listRunStates: async ({ body: { ids } }, { caller: { orgId } }) => ({
      data: await listRunStates(context.database.of(orgId), orgId, ids),
    }),
  } satisfies Partial<ConsoleHandlers>;
}
