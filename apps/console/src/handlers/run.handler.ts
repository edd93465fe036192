import type { ListedRun, Run as ShownRun } from '@relata/schemas/console';
import {
  cancelRun,
  type ChangedRun,
  findRun,
  retryRuns,
  type Run,
  type RunDetail,
  searchRuns,
} from '@relata/workflows';
import { type ConsoleContext, type ConsoleHandlers, notFound, onBehalf } from './console-context.ts';
import { searchPageOf } from './page.ts';

/** Runs of workflows: the operations of `workflows`. */
export function runHandlers(
  context: ConsoleContext,
): ConsoleHandlers<'listRuns' | 'getRun' | 'retryRuns' | 'cancelRun'> {
  return {
    listRuns: async ({ query }, { caller: { orgId } }) => {
      const { workflow: workflowId, trigger: triggerId, ...filter } = query;
      return searchPageOf(
        await searchRuns(context.database.of(orgId), orgId, { ...filter, workflowId, triggerId }),
        listed,
      );
    },
    getRun: async ({ params: { id } }, { caller: { orgId } }) => {
      const found = await findRun(context.database.of(orgId), orgId, id);
      if (!found) throw notFound();
      return { data: shown(found) };
    },
    retryRuns: async ({ body: { ids } }, { caller, exchange }) => ({
      data: (await retryRuns(...onBehalf(context, caller, exchange), ids)).map(changed),
    }),
    cancelRun: async ({ params: { id } }, { caller, exchange }) => ({
      data: changed(await cancelRun(...onBehalf(context, caller, exchange), id)),
    }),
  };
}

function listed({ org_id: _org, ...run }: Run): ListedRun {
  return run;
}

function shown({ inputs, steps, ...run }: RunDetail): ShownRun {
  return { ...listed(run), inputs, steps };
}

export const changed = ({ org_id: _org, ...run }: ChangedRun) => run;
