import type { Db } from '@relata/db';
import { type CompiledWorkflow, compileWorkflow } from './compile-workflow.ts';
import { findDefinition } from './workflow.sql.ts';

interface WorkflowVersion {
  org_id: string;
  workflow_id: string;
  version: number;
}

/** Loads a version of a workflow, ready to run. Throws DefinitionError if only an older release accepts it. */
export async function loadWorkflow(
  db: Db,
  { org_id, workflow_id, version }: WorkflowVersion,
): Promise<CompiledWorkflow> {
  return compileWorkflow(await findDefinition(db, org_id, workflow_id, version));
}
