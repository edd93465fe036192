import { replayDelivery } from '@relata/workflows';
import { command } from '../../command/command.ts';
import { deliveryArgument, requireDelivery } from './delivery.reference.ts';

export const replay = command({
  name: 'replay',
  summary: 'Start new runs for a delivery, of what its trigger starts now',
  arguments: { delivery: deliveryArgument },
  examples: ['deliveries replay DELIVERY_ID'],
  run: async (context, { delivery: id }) => {
    const { org_id: orgId } = await requireDelivery(context.database, id);
    return { ...(await replayDelivery(context, context.actorIn(orgId), id)) };
  },
  note: ({ runs }) =>
    runs.length === 0 ? 'Nothing was started: no workflow is assigned, or none wants it.' : undefined,
});
