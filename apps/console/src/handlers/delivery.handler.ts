import type { Db } from '@relata/db';
import type { Delivery as ShownDelivery, ListedDelivery } from '@relata/schemas/console';
import { listWorkflows } from '@relata/workflows';
import {
  type CountedSpan,
  countDeliveries,
  type Delivery,
  type DeliveryDetail,
  findDelivery,
  previewReplay,
  readRefusingWorkflows,
  readPreviewFields,
  replayDelivery,
  searchDeliveries,
} from '@relata/workflows/deliveries';
import { orNotFound } from '@relata/schemas/errors';
import { type ConsoleContext, type ConsoleHandlers, onBehalf } from './console-context.ts';
import { timeSpans } from './delivery-spans.ts';
import { toSearchPage } from './page.ts';
import { verdictSlicer } from './work-slices.ts';

const dayMs = 86_400_000;

type Skipped = NonNullable<DeliveryDetail['skipped']>[number];

export function deliveryHandlers(context: ConsoleContext) {
  return {
    listDeliveries: async ({ query }, { caller: { orgId } }) => {
      const { workflow: workflowId, trigger: triggerId, ...filter } = query;
      const db = context.database.of(orgId);
      const { rows, next } = await searchDeliveries(db, orgId, { ...filter, workflowId, triggerId });
      return toSearchPage({ rows: await listed(db, orgId, rows), next });
    },
    getDeliveryCounts: async ({ query: { from, to, trigger, zone } }, { caller: { orgId } }) => {
      const end = to === undefined ? Date.now() : Date.parse(to);
      const spans = timeSpans(from === undefined ? end - dayMs : Date.parse(from), end, zone);
      const counted = await countDeliveries(context.database.of(orgId), orgId, spans, trigger);
      return { data: counted.map(shownSpan) };
    },
    getDelivery: async ({ params: { id } }, { caller: { orgId } }) => {
      const db = context.database.of(orgId);
      return { data: await shown(db, orgId, orNotFound(await findDelivery(db, orgId, id))) };
    },
    getReplayPreview: async ({ params: { id }, query: { all } }, { caller }) => {
      const { orgId } = caller;
      const db = context.database.of(orgId);
      const { starts, skipped, ...more } = await previewReplay(db, orgId, id, {
        isWhole: all === 'true',
        slicer: verdictSlicer(caller),
      });
      const named = await withNames(db, orgId, starts);
      return {
        data: {
          starts: named.map((each) => ({
            ...each,
            workflow: each.workflow ?? each.workflow_id,
            fails: each.fails ?? null,
          })),
          skipped: await withNames(db, orgId, skipped),
          ...more,
        },
      };
    },
    replayDelivery: async ({ params: { id }, query: { all } }, { caller, exchange }) => {
      const options = { isWhole: all === 'true' };
      const replayed = await replayDelivery(...onBehalf(context, caller, exchange), id, options);
      const { orgId } = caller;
      return { data: { ...replayed, skipped: await withNames(context.database.of(orgId), orgId, replayed.skipped) } };
    },
  } satisfies Partial<ConsoleHandlers>;
}

export async function listed(db: Db, orgId: string, found: readonly Delivery[]): Promise<ListedDelivery[]> {
  const ids = found.map(({ id }) => id);
  const [fields, refusing] = await Promise.all([
    readPreviewFields(db, orgId, found),
    readRefusingWorkflows(db, orgId, ids),
  ]);
  return found.map((delivery) => ({
    ...delivery,
    fields: fields.get(delivery.id) ?? [],
    refused: refusing.get(delivery.id) ?? [],
  }));
}

const shownSpan = ({ from, to, count }: CountedSpan) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  deliveries: count,
});

async function shown(db: Db, orgId: string, found: DeliveryDetail): Promise<ShownDelivery> {
  const [skipped, [shared]] = await Promise.all([
    withNames(db, orgId, found.skipped ?? []),
    listed(db, orgId, [found]),
  ]);
  return { ...shared!, headers: found.headers, skipped, body: found.body.toString('utf8') };
}

async function withNames<Of extends Pick<Skipped, 'workflow_id'>>(
  db: Db,
  orgId: string,
  found: readonly Of[],
): Promise<(Of & { workflow: string | null })[]> {
  if (found.length === 0) return [];
  const names = new Map((await listWorkflows(db, orgId)).map(({ id, name }) => [id, name]));
  return found.map((each) => ({ ...each, workflow: names.get(each.workflow_id) ?? null }));
}
