import type { Db } from '@relata/db';
import { type CompiledWorkflow, compileWorkflow } from './compile-workflow.ts';
import { readDefinition } from './read-definition.ts';
import { findDefinition } from './workflow.sql.ts';

interface WorkflowVersion {
  org_id: string;
  workflow_id: string;
  version: number;
}

/** A version of a workflow, ready to be run. Throws DefinitionError for what an older release took and this one does not. */
export async function loadWorkflow(
  db: Db,
  { org_id, workflow_id, version }: WorkflowVersion,
): Promise<CompiledWorkflow> {
  return compileWorkflow(readDefinition(await findDefinition(db, org_id, workflow_id, version)));
}
