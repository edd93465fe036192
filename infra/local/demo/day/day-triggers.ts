import { markDemoData } from '@relata/demo';
import type { Actor, OperationContext } from '@relata/events';
import type { EncryptionKeys } from '@relata/secrets';
import { applyWorkflow, assignWorkflow, createTrigger } from '@relata/workflows';
import { issueFilter, issueFollowUp, issueInputs, shopOrder, shopOrderInputs } from './workflows.ts';

/** A signing sender of the demo's day: its trigger, and the secret with which it signs. */
interface SignedSender {
  id: string;
  secret: string;
}

export type SignedSenders = Record<'github' | 'shopify', SignedSender>;

/** Creates the triggers and workflows that only the demo's day uses, and marks them as demo data. */
export async function createDayTriggers(
  operating: OperationContext,
  actor: Actor,
  keys: EncryptionKeys,
): Promise<SignedSenders> {
  const { database } = operating;
  const create = async (name: string, kind: keyof SignedSenders, given?: string): Promise<SignedSender> => {
    const input = { name, signature: { kind }, ...(given && { secret: given }) };
    const { trigger, secret } = await createTrigger({ database }, actor, input, keys);
    return { id: trigger.id, secret: secret ?? given! };
  };
  const senders = {
    github: await create('GitHub', 'github'),
    // Shopify generates its secrets itself.
    shopify: await create(
      'Shop orders',
      'shopify',
      Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex'),
    ),
  };
  const { applied: followUp } = await applyWorkflow(operating, actor, issueFollowUp);
  const { applied: order } = await applyWorkflow(operating, actor, shopOrder);
  const issues = { triggerId: senders.github.id, workflowId: followUp.id, inputs: issueInputs, filter: issueFilter };
  await assignWorkflow(operating, actor, issues);
  const orders = { triggerId: senders.shopify.id, workflowId: order.id, inputs: shopOrderInputs };
  await assignWorkflow(operating, actor, orders);
  await markDemoData(database, actor.orgId, 'trigger', [senders.github.id, senders.shopify.id]);
  await markDemoData(database, actor.orgId, 'workflow', [followUp.id, order.id]);
  return senders;
}
