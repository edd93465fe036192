import type { Preview } from '@relata/schemas/console';
import {
  assignWorkflow,
  findTrigger,
  type InputSpec,
  listAssignableWorkflows,
  previewAssignment,
  unassignWorkflow,
} from '@relata/workflows';
import { orNotFound } from '@relata/schemas/errors';
import { type ConsoleContext, type ConsoleHandlers, onBehalf } from './console-context.ts';
import { showTrigger } from './trigger.handler.ts';
import { sliceTurns } from './work-slices.ts';

export function assignmentHandlers(context: ConsoleContext) {
  const shown = (orgId: string, id: string) => showTrigger(context.database.of(orgId), orgId, id);
  return {
    listAssignable: async ({ params: { id } }, { caller: { orgId } }) => {
      const db = context.database.of(orgId);
      orNotFound(await findTrigger(db, orgId, id));
      return { data: await listAssignableWorkflows(db, orgId) };
    },
    assignWorkflow: async ({ params: { id }, body }, { caller, exchange }) => {
      await assignWorkflow(...onBehalf(context, caller, exchange), assignmentOf(id, body));
      return { data: await shown(caller.orgId, id) };
    },
    unassignWorkflow: async ({ params: { id }, body: { workflow_id: workflowId } }, { caller, exchange }) => {
      await unassignWorkflow(...onBehalf(context, caller, exchange), { triggerId: id, workflowId });
      return { data: await shown(caller.orgId, id) };
    },
    previewAssignment: async ({ params: { id }, body: { limit, ...body } }, { caller }) => {
      const { orgId } = caller;
      const reading = { database: context.database.of(orgId), takeTurn: sliceTurns(caller) };
      const preview = await previewAssignment(reading, orgId, { ...assignmentOf(id, body), limit });
      return { data: shownPreview(preview) };
    },
  } satisfies Partial<ConsoleHandlers>;
}

type Assigned = Parameters<ConsoleHandlers['assignWorkflow']>[0]['body'];

function assignmentOf(triggerId: string, { workflow_id: workflowId, inputs, filter }: Assigned) {
  return { triggerId, workflowId, inputs, filter: filter ?? undefined };
}

function shownPreview(preview: Awaited<ReturnType<typeof previewAssignment>>): Preview {
  const { workflow, faults, deliveries, limitReached } = preview;
  return {
    workflow: { ...workflow, inputs: Object.entries(workflow.inputs).map(shownInput) },
    faults: faults.map(({ input, message }) => ({ input: input ?? null, message })),
    deliveries: deliveries.map((delivery) => ({
      ...delivery,
      message: delivery.message ?? null,
      fails: delivery.fails ?? null,
    })),
    limit_reached: limitReached ?? null,
  };
}

function shownInput([name, spec]: [string, InputSpec]): Preview['workflow']['inputs'][number] {
  const { type, format = null, required = false, description = null } = spec;
  const hasDefault = spec.default !== undefined;
  return { name, type, format, required: required && !hasDefault, description, has_default: hasDefault };
}
