import type { Db } from '@relata/db';
import { nameText } from '@relata/schemas';
import { findWorkflowsNamed, type Workflow } from '@relata/workflows';
import { CliError } from '../../output/cli.error.ts';
import { value } from '../../command/parameter.ts';
import { shownIds } from '../orgs/organization-option.ts';

export const workflowArgument = value('WORKFLOW', nameText(), 'Id or name of the workflow');

/**
 * Returns the workflow with this id or name, in the organization `orgId` if it is given. Throws CliError if no workflow
 * or more than one matches.
 */
export async function requireWorkflow(db: Db, nameOrId: string, orgId: string | undefined): Promise<Workflow> {
  const named = await findWorkflowsNamed(db, nameOrId);
  const found = orgId === undefined ? named : named.filter(({ org_id }) => org_id === orgId);
  if (found.length > 1) throw ambiguous(nameOrId, found);
  if (found[0]) return found[0];
  const where =
    orgId !== undefined && named.length > 0 ? ` in the organization ${orgId}, but another organization has one` : '';
  throw new CliError('not_found', `There is no workflow ${nameOrId}${where}. See: relata workflows list`);
}

function ambiguous(name: string, found: readonly Workflow[]): CliError {
  const where = `${found.length} organizations (${shownIds(found.map(({ org_id }) => org_id))})`;
  return new CliError(
    'validation_error',
    `${where} have a workflow ${name}: choose one with --org, or give the id of the workflow.`,
  );
}
