import {
  cancelRun,
  findRunOutline,
  findRunStep,
  predictRetry,
  retryRuns,
  searchRuns,
  type RetryOption,
  withRetries,
} from '@relata/workflows/runs';
import { orNotFound } from '@relata/schemas/errors';
import { type ConsoleContext, type ConsoleHandlers, onBehalf } from './console-context.ts';
import { toSearchPage } from './page.ts';
import { verdictSlicer } from './work-slices.ts';

export function runHandlers(context: ConsoleContext) {
  return {
    listRuns: async ({ query }, { caller: { orgId } }) => {
      const { workflow: workflowId, trigger: triggerId, ...filter } = query;
      const db = context.database.of(orgId);
      const { rows, next } = await searchRuns(db, orgId, { ...filter, workflowId, triggerId });
      return toSearchPage({ rows: await withRetries(db, orgId, rows), next });
    },
    getRun: async ({ params: { id } }, { caller: { orgId } }) => {
      const db = context.database.of(orgId);
      const found = orNotFound(await findRunOutline(db, orgId, id));
      const [run] = await withRetries(db, orgId, [found]);
      return { data: run! };
    },
    getRunStep: async ({ params: { id }, query: { path } }, { caller: { orgId } }) => ({
      data: orNotFound(await findRunStep(context.database.of(orgId), orgId, id, path)),
    }),
    judgeRetry: async ({ params: { id } }, { caller }) => {
      const { orgId } = caller;
      const { retry, latest, replay } = await predictRetry(
        context.database.of(orgId),
        orgId,
        id,
        verdictSlicer(caller),
      );
      return {
        data: { retry: shownOption(retry), latest: latest ? shownOption(latest) : null, replay: shownOption(replay) },
      };
    },
    retryRuns: async ({ body: { ids, latest: isLatest } }, { caller, exchange }) => ({
      data: await retryRuns(...onBehalf(context, caller, exchange), ids, { isLatest }),
    }),
    cancelRun: async ({ params: { id } }, { caller, exchange }) => ({
      data: await cancelRun(...onBehalf(context, caller, exchange), id),
    }),
  } satisfies Partial<ConsoleHandlers>;
}

const shownOption = ({ version, refusal, fails }: RetryOption) => ({
  version: version ?? null,
  refusal: refusal ?? null,
  fails: fails ?? null,
});
