import {
  cancelRun,
  type ChangedRun,
  findRunOutline,
  findRunStep,
  retryRuns,
  type Run,
  searchRuns,
  withRetries,
} from '@relata/workflows/runs';
import { type ConsoleContext, type ConsoleHandlers, notFound, onBehalf } from './console-context.ts';
import { searchPageOf } from './page.ts';

/** Runs of workflows: the operations of `workflows`. */
export function runHandlers(
  context: ConsoleContext,
): ConsoleHandlers<'listRuns' | 'getRun' | 'getRunStep' | 'retryRuns' | 'cancelRun'> {
  return {
    listRuns: async ({ query }, { caller: { orgId } }) => {
      const { workflow: workflowId, trigger: triggerId, ...filter } = query;
      const db = context.database.of(orgId);
      const { rows, next } = await searchRuns(db, orgId, { ...filter, workflowId, triggerId });
      return searchPageOf({ rows: await withRetries(db, orgId, rows), next }, shown);
    },
    getRun: async ({ params: { id } }, { caller: { orgId } }) => {
      const db = context.database.of(orgId);
      const found = await findRunOutline(db, orgId, id);
      if (!found) throw notFound();
      const [run] = await withRetries(db, orgId, [found]);
      return { data: shown(run!) };
    },
    getRunStep: async ({ params: { id }, query: { path } }, { caller: { orgId } }) => {
      const found = await findRunStep(context.database.of(orgId), orgId, id, path);
      if (!found) throw notFound();
      return { data: { input: found.input, output: found.output } };
    },
    retryRuns: async ({ body: { ids } }, { caller, exchange }) => ({
      data: (await retryRuns(...onBehalf(context, caller, exchange), ids)).map(changed),
    }),
    cancelRun: async ({ params: { id } }, { caller, exchange }) => ({
      data: changed(await cancelRun(...onBehalf(context, caller, exchange), id)),
    }),
  };
}

const shown = <Found extends Run>({ org_id: _org, ...run }: Found) => run;

export const changed = ({ org_id: _org, ...run }: ChangedRun) => run;
