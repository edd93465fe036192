import type { Db } from '@relata/db';
import type { Delivery as ShownDelivery, ListedDelivery } from '@relata/schemas/console';
import {
  type Delivery,
  type DeliveryDetail,
  findDelivery,
  listWorkflows,
  replayDelivery,
  searchDeliveries,
} from '@relata/workflows';
import { type ConsoleContext, type ConsoleHandlers, notFound, onBehalf } from './console-context.ts';
import { searchPageOf } from './page.ts';

type Ids = 'listDeliveries' | 'getDelivery' | 'replayDelivery';
type Skipped = NonNullable<DeliveryDetail['skipped']>;

/** What came in: the deliveries of `workflows`. */
export function deliveryHandlers(context: ConsoleContext): ConsoleHandlers<Ids> {
  return {
    listDeliveries: async ({ query }, { caller: { orgId } }) => {
      const { workflow: workflowId, trigger: triggerId, ...filter } = query;
      const found = await searchDeliveries(context.database.of(orgId), orgId, { ...filter, workflowId, triggerId });
      return searchPageOf(found, listed);
    },
    getDelivery: async ({ params: { id } }, { caller: { orgId } }) => {
      const db = context.database.of(orgId);
      const found = await findDelivery(db, orgId, id);
      if (!found) throw notFound();
      return { data: await shown(db, orgId, found) };
    },
    replayDelivery: async ({ params: { id } }, { caller, exchange }) => {
      const { runs, skipped } = await replayDelivery(...onBehalf(context, caller, exchange), id);
      const { orgId } = caller;
      return { data: { runs, skipped: await withNames(context.database.of(orgId), orgId, skipped) } };
    },
  };
}

function listed({ id, trigger_id, trigger, received_at, bytes, replays, runs }: Delivery): ListedDelivery {
  return { id, trigger_id, trigger, received_at, bytes, replays, runs };
}

async function shown(db: Db, orgId: string, found: DeliveryDetail): Promise<ShownDelivery> {
  const skipped = await withNames(db, orgId, found.skipped ?? []);
  return { ...listed(found), headers: found.headers, skipped, body: found.body.toString('utf8') };
}

async function withNames(db: Db, orgId: string, skipped: Skipped): Promise<ShownDelivery['skipped']> {
  if (skipped.length === 0) return [];
  const names = new Map((await listWorkflows(db, orgId)).map(({ id, name }) => [id, name]));
  return skipped.map((each) => ({ ...each, workflow: names.get(each.workflow_id) ?? null }));
}
