import { longText } from '@relata/schemas';
import { assignWorkflow, unassignWorkflow } from '@relata/workflows';
import { command } from '../../command/command.ts';
import { inputs, mappingText } from './input-mapping-option.ts';
import { ofOrganization } from '../orgs/organization-option.ts';
import { value } from '../../command/parameter.ts';
import { recordText } from '../../output/result.format.ts';
import { triggerArgument } from './trigger-reference.ts';
import { requireWorkflow, workflowArgument } from '../workflows/workflow-reference.ts';

export const assign = command({
  name: 'assign',
  summary: 'Assign a workflow to a trigger, or replace the assignment',
  arguments: { trigger: triggerArgument, workflow: workflowArgument },
  options: {
    input: inputs,
    filter: value(
      'CEL',
      longText(1).optional(),
      'Expression in CEL on payload and delivery.headers; the workflow starts only if it is true',
    ),
    org: ofOrganization,
  },
  examples: [
    'triggers assign TRIGGER_ID inbound-lead --input email=payload.user.email',
    `triggers assign TRIGGER_ID inbound-lead --input email=payload.email --input 'source:="website"' --filter 'payload.event == "signup"'`,
  ],
  run: async (context, { trigger: { id: triggerId, org_id: orgId }, workflow: nameOrId, input, filter }) => {
    const workflow = await requireWorkflow(context.database, nameOrId, orgId);
    const made = { triggerId, workflowId: workflow.id, inputs: input, filter };
    return { id: triggerId, ...(await assignWorkflow(context, context.actorIn(orgId), made)) };
  },
  view: ({ id: _id, ...assignment }) => recordText({ ...assignment, inputs: mappingText(assignment.inputs) }),
});

export const unassign = command({
  name: 'unassign',
  summary: 'Remove the assignment of a workflow to a trigger; runs that it started continue',
  arguments: { trigger: triggerArgument, workflow: workflowArgument },
  options: { org: ofOrganization },
  examples: ['triggers unassign TRIGGER_ID inbound-lead'],
  run: async (context, { trigger: { id: triggerId, org_id: orgId }, workflow: nameOrId }) => {
    const workflow = await requireWorkflow(context.database, nameOrId, orgId);
    return unassignWorkflow(context, context.actorIn(orgId), { triggerId, workflowId: workflow.id });
  },
});
