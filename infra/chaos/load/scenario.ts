import { createApiKey, createOrganization } from '@relata/auth';
import { type Database, statement } from '@relata/db';
import { noBus, operatorIn } from '@relata/events';
import { applyWorkflow, assignWorkflow, type InputMapping } from '@relata/workflows';
import { auditSql } from '../test-bed/audit.ts';
import type { Kind, KindWorkflow } from './kind.ts';
import { createTarget, type Target } from './target.ts';
import type { TestBed } from '../test-bed/test-bed.ts';

export interface Scenario {
  orgId: string;
  /** Of the clients of the records API. */
  apiKey: string;
  targets: readonly Target[];
}

const scopes = ['records:read', 'records:write', 'events:read'] as const;

/** Fills the database with a trigger and its workflows for every kind of post. */
export async function prepareScenario(
  { database, outside, signingKeys }: TestBed,
  kinds: readonly Kind[],
): Promise<Scenario> {
  for (const sql of auditSql) await database.query(statement('', sql), []);
  const { id: orgId } = await createOrganization(database, 'Chaos');
  const { key: apiKey } = await createApiKey(database, orgId, { name: 'chaos', kind: 'secret', scopes });
  const targets: Target[] = [];
  for (const kind of kinds) {
    const target = await createTarget({ database, orgId, signingKeys }, kind);
    targets.push(target);
    const { triggerId } = target;
    for (const workflow of kind.workflows)
      await prepareWorkflow(database, { orgId, triggerId, workflow, outside: outside.url });
  }
  return { orgId, apiKey, targets };
}

interface Assigned {
  orgId: string;
  triggerId: string;
  workflow: KindWorkflow;
  outside: string;
}

async function prepareWorkflow(database: Database, { orgId, triggerId, workflow, outside }: Assigned): Promise<void> {
  const [context, actor] = [{ database, bus: noBus }, operatorIn(orgId, 'chaos')];
  const { applied } = await applyWorkflow(context, actor, workflow.definition);
  const workflowId = applied.id;
  const mapped: InputMapping = { ...workflow.inputs, ...(workflow.isCalling && { outside: { const: outside } }) };
  await assignWorkflow(context, actor, { triggerId, workflowId, inputs: mapped, filter: workflow.filter });
  if (workflow.isUnreadable) await database.query(spoil, [orgId, workflowId]);
}

/** A definition that only an older release would have accepted. */
const spoil = statement<never>(
  'chaos.spoil',
  `UPDATE workflow_versions SET definition = '{"name":"spoilt","steps":[{"id":"a","use":"no.such","with":{}}]}'
   WHERE org_id = $1 AND workflow_id = $2`,
);
