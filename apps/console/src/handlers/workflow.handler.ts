import { AppError, orNotFound } from '@relata/schemas/errors';
import type { DefinitionFault, PublishedWorkflow } from '@relata/schemas/console';
import {
  type ApplyOptions,
  applyWorkflow,
  type Definition,
  DefinitionError,
  definitionWarnings,
  findVersion,
  findWorkflow,
  listVersions,
  placeFaults,
  readDefinitionText,
} from '@relata/workflows';
import { type ConsoleContext, type ConsoleHandlers, onBehalf } from './console-context.ts';
import { toPage } from './page.ts';
import { listShownWorkflows, findStarters } from './workflow-list.sql.ts';

type OnBehalf = ReturnType<typeof onBehalf>;

export function workflowHandlers(context: ConsoleContext) {
  const find = async (orgId: string, id: string) =>
    orNotFound(await findWorkflow(context.database.of(orgId), orgId, id));
  return {
    listWorkflows: (_input, { caller: { orgId } }) => listShownWorkflows(context.database.of(orgId), orgId),
    createWorkflow: async ({ body: { text, note } }, { caller, exchange }) => ({
      data: await publish(onBehalf(context, caller, exchange), readText(text), { note, base: 0 }),
    }),
    checkWorkflow: async ({ body: { text } }) => ({ data: check(text) }),
    getWorkflow: async ({ params: { id }, query }, { caller: { orgId } }) => {
      const db = context.database.of(orgId);
      const { name, version: newest } = await find(orgId, id);
      const [version, triggers] = await Promise.all([
        findVersion(db, orgId, id, query.version ?? newest),
        findStarters(db, orgId, id),
      ]);
      return { data: { id, name, newest_version: newest, triggers, ...orNotFound(version) } };
    },
    listWorkflowVersions: async ({ params: { id }, query: { limit, before } }, { caller: { orgId } }) => {
      await find(orgId, id);
      return toPage(await listVersions(context.database.of(orgId), orgId, id, limit + 1, before), limit);
    },
    publishWorkflow: async ({ params: { id }, body: { text, note, base_version: base } }, { caller, exchange }) => {
      const { name } = await find(caller.orgId, id);
      const definition = readText(text);
      if (definition.name !== name) throw otherName(name, text);
      return { data: await publish(onBehalf(context, caller, exchange), definition, { note, base }) };
    },
  } satisfies Partial<ConsoleHandlers>;
}

async function publish(behalf: OnBehalf, given: Definition, options: ApplyOptions): Promise<PublishedWorkflow> {
  const { applied, definition, incompatible } = await applyWorkflow(...behalf, given, options);
  const { id, version, action } = applied;
  return { id, version, action, misfits: incompatible, warnings: definitionWarnings(definition) };
}

/** Returns the faults of a definition, or its warnings if it has none. */
function check(text: string): { faults: DefinitionFault[]; warnings: DefinitionFault[] } {
  try {
    return { faults: [], warnings: definitionWarnings(readDefinitionText(text)) };
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return { faults: [...error.faults], warnings: [] };
  }
}

function readText(text: string): Definition {
  try {
    return readDefinitionText(text);
  } catch (error) {
    throw error instanceof DefinitionError ? faulty(error.faults) : error;
  }
}

/**
 * Returns the error for a changed name: runs and triggers refer to a workflow by id, so all its versions share a name.
 */
function otherName(name: string, text: string): AppError {
  const message = `Must be ${name}. To use another name, create a new workflow.`;
  return faulty(placeFaults([{ path: 'name', message }], text));
}

function faulty(faults: readonly DefinitionFault[]): AppError {
  const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`;
  const details = faults.map(({ path, message }) => ({
    in: 'body' as const,
    field: 'text',
    code: 'invalid_format' as const,
    message: path ? `${path}: ${message}` : message,
  }));
  return new AppError('validation_error', `The definition has ${count}.`, { details, data: { faults: [...faults] } });
}
