import { createOrganization, generateCredential, hashCredential } from '@relata/auth';
import { type Database, statement } from '@relata/db';
import { storeDefinition, upsertAssignment, insertTrigger, type InputMapping, readDefinition } from '@relata/workflows';
import { auditSql } from '../test-bed/audit.ts';
import type { Kind, KindWorkflow } from './kind.ts';
import type { TestBed } from '../test-bed/test-bed.ts';

/** A trigger to post to. */
export interface Target {
  kind: Kind;
  triggerId: string;
  secret: string;
}

export interface Scenario {
  orgId: string;
  targets: readonly Target[];
}

/** Fills the database with a trigger and its workflows for every kind of post. */
export async function prepareScenario({ database, outside }: TestBed, kinds: readonly Kind[]): Promise<Scenario> {
  for (const sql of auditSql) await database.query(statement('', sql), []);
  const { id: orgId } = await createOrganization(database, 'Chaos');
  const targets: Target[] = [];
  for (const kind of kinds) targets.push(await prepareTarget(database, orgId, kind, outside.url));
  return { orgId, targets };
}

async function prepareTarget(database: Database, orgId: string, kind: Kind, outside: string): Promise<Target> {
  const secret = generateCredential('trigger');
  const guard = { secret: { hash: hashCredential(secret), lastFour: secret.slice(-4) } };
  const { id: triggerId } = await database.transaction((tx) => insertTrigger(tx, orgId, { name: kind.name, ...guard }));
  for (const workflow of kind.workflows) await prepareWorkflow(database, { orgId, triggerId, workflow, outside });
  return { kind, triggerId, secret };
}

interface Assigned {
  orgId: string;
  triggerId: string;
  workflow: KindWorkflow;
  outside: string;
}

async function prepareWorkflow(database: Database, { orgId, triggerId, workflow, outside }: Assigned): Promise<void> {
  const { id: workflowId } = await database.transaction((tx) =>
    storeDefinition(tx, orgId, readDefinition(workflow.definition)),
  );
  const mapped: InputMapping = { ...workflow.inputs, ...(workflow.isCalling && { outside: { const: outside } }) };
  await upsertAssignment(database, orgId, { triggerId, workflowId, inputs: mapped, filter: workflow.filter });
  if (workflow.isUnreadable) await database.query(spoil, [orgId, workflowId]);
}

/** As if an older release had taken what this one does not. */
const spoil = statement<never>(
  'chaos.spoil',
  `UPDATE workflow_versions SET definition = '{"name":"spoilt","steps":[{"id":"a","use":"no.such","with":{}}]}'
   WHERE org_id = $1 AND workflow_id = $2`,
);
