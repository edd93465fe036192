import type { Db } from '@relata/db';
import { uuid } from '@relata/schemas';
import { type DeliveryDetail, findDelivery, findDeliveryOrganization } from '@relata/workflows/deliveries';
import { CliError } from '../../output/cli.error.ts';
import { value } from '../../command/parameter.ts';

/** A delivery as it is typed. */
export const deliveryArgument = value('DELIVERY', uuid(), 'Id of the delivery');

/** The delivery of this id, of whatever organization. */
export async function requireDelivery(db: Db, id: string): Promise<DeliveryDetail> {
  const orgId = await findDeliveryOrganization(db, id);
  const found = orgId === undefined ? undefined : await findDelivery(db, orgId, id);
  if (!found) throw new CliError('not_found', `There is no delivery ${id}. See: relata deliveries list`);
  return found;
}
