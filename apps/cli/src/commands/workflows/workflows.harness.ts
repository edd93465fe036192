import type { Database } from '@relata/db';
import { noopBus, operatorActor } from '@relata/events';
import { applyWorkflow, assignWorkflow, createTrigger, type Definition, type InputMapping } from '@relata/workflows';

/** A workflow with a required and an optional input. */
export const inboundLead = {
  name: 'inbound-lead',
  inputs: { email: { type: 'string', format: 'email', required: true }, source: { type: 'string' } },
  steps: [
    { id: 'log', use: 'activity.create', with: { content: 'Form sent by ${{ inputs.email }}' } },
    {
      id: 'tell',
      use: 'channel.post',
      with: { text: "A lead from ${{ has(inputs.source) ? inputs.source : 'the web' }}" },
    },
  ],
} satisfies Definition;

/** Creates a trigger with its own secret. */
export async function makeTrigger(database: Database, orgId: string) {
  const { trigger, secret } = await createTrigger({ database }, operatorActor(orgId, 'test'), { name: 'Web form' });
  return { ...trigger, secret: secret! };
}

/** Applies a workflow without notifying any process; returns the id of the workflow. */
export async function makeWorkflow(database: Database, orgId: string, definition: Definition): Promise<string> {
  const { applied } = await applyWorkflow({ database, bus: noopBus }, operatorActor(orgId, 'test'), definition);
  return applied.id;
}

/** Assigns a workflow to a trigger without notifying any process. */
export function makeAssignment(
  database: Database,
  orgId: string,
  assigned: { triggerId: string; workflowId: string; inputs: InputMapping },
) {
  return assignWorkflow({ database, bus: noopBus }, operatorActor(orgId, 'test'), assigned);
}
