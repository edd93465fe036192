import type { Actor, OperationContext } from '@relata/events';
import { applyWorkflow, assignWorkflow, createTrigger } from '@relata/workflows';
import inboundLead from '../../../examples/inbound-lead.json' with { type: 'json' };
import type { StackTrigger } from '../stack/stack-file.ts';

export interface DemoTriggersOptions {
  webhookKey: { id: string; key: string };
  baseUrl: string;
}

/** Mapping from the fields of a website's form to the inputs of the workflow. */
const inputs = { email: 'payload.user.email', name: 'payload.user.name', company: 'payload.form.company' };

/** Creates a trigger with its own secret and a trigger that uses an API key. Both start `inbound-lead`. */
export async function createDemoTriggers(
  operating: OperationContext,
  actor: Actor,
  { webhookKey, baseUrl }: DemoTriggersOptions,
): Promise<StackTrigger[]> {
  const { applied: workflow } = await applyWorkflow(operating, actor, inboundLead);
  const form = await createTrigger(operating, actor, { name: 'Website form' });
  const partner = await createTrigger(operating, actor, { name: 'Partner events', keyId: webhookKey.id });
  const described = [];
  for (const { trigger, secret = webhookKey.key } of [form, partner]) {
    const { id, name, mode } = trigger;
    await assignWorkflow(operating, actor, { triggerId: id, workflowId: workflow.id, inputs });
    described.push({ id, name, url: triggerUrl(baseUrl, id), secret, mode, workflows: [workflow.name] });
  }
  return described;
}

export function triggerUrl(baseUrl: string, id: string): string {
  return `${baseUrl}/webhooks/trigger/${id}`;
}
