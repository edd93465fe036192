import { generateCredential, hashCredential } from '@relata/auth';
import type { Db } from '@relata/db';
import { applyWorkflowIn, assignWorkflow, createTrigger, readDefinition } from '@relata/workflows';
import inboundLead from '../../examples/inbound-lead.json' with { type: 'json' };
import type { StackTrigger } from './stack-file.ts';

export interface DemoTriggersOptions {
  orgId: string;
  webhookKey: { id: string; key: string };
  baseUrl: string;
}

/** Where a form of one's site has what the workflow asks for. */
const inputs = { email: 'payload.user.email', name: 'payload.user.name', company: 'payload.form.company' };

/** A trigger of each mode, both of which start `inbound-lead`. */
export async function createDemoTriggers(
  db: Db,
  { orgId, webhookKey, baseUrl }: DemoTriggersOptions,
): Promise<StackTrigger[]> {
  const workflow = await applyWorkflowIn(db, orgId, readDefinition(inboundLead));
  const secret = generateCredential('trigger');
  const mark = { hash: hashCredential(secret), lastFour: secret.slice(-4) };
  const form = await createTrigger(db, orgId, { name: 'Website form', secret: mark });
  const partner = await createTrigger(db, orgId, { name: 'Partner events', keyId: webhookKey.id });
  const described = [];
  for (const [trigger, opening] of [[form, secret] as const, [partner, webhookKey.key] as const]) {
    const { id, name, mode } = trigger;
    await assignWorkflow(db, orgId, { triggerId: id, workflowId: workflow.id, inputs, filter: undefined });
    described.push({ id, name, url: triggerUrl(baseUrl, id), secret: opening, mode, workflows: [workflow.name] });
  }
  return described;
}

export function triggerUrl(baseUrl: string, id: string): string {
  return `${baseUrl}/webhooks/trigger/${id}`;
}
