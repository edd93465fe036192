import { abortWhenAllLeft } from '@relata/runtime';
import { searchDeliveryBodies } from '@relata/workflows/deliveries';
import type { ConsoleContext, ConsoleHandlers } from './console-context.ts';
import { listed } from './delivery.handler.ts';
import { sliceTurns } from './work-slices.ts';

export function searchHandlers({ database }: ConsoleContext) {
  return {
    searchDeliveries: async ({ body: { trigger: triggerId, workflow: workflowId, ...search } }, context) => {
      const { orgId } = context.caller;
      const signal = abortWhenAllLeft([context.exchange]);
      const searching = { database: database.scanOf(orgId, signal), takeTurn: sliceTurns(context.caller), signal };
      const found = await searchDeliveryBodies(searching, orgId, { ...search, triggerId, workflowId });
      return {
        data: await listed(database.of(orgId), orgId, found.deliveries),
        has_more: found.next !== undefined,
        next: found.next ?? null,
        looked_at: found.lookedAt,
        looked_back_to: found.lookedBackTo ?? null,
        failed: found.failed,
        first_fault: found.firstFault ?? null,
      };
    },
  } satisfies Partial<ConsoleHandlers>;
}
