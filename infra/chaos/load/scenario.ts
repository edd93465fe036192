import { statement } from '@relata/db';
import { createTestTrigger, createTestOrganization } from '@relata/testbed/fixtures';
import { auditSql } from '../test-bed/audit.ts';
import type { Kind } from './kind.ts';
import { headersFor, type LoadTrigger } from './load-trigger.ts';
import type { TestBed } from '../test-bed/test-bed.ts';

export interface Scenario {
  orgId: string;
  apiKey: string;
  targets: readonly LoadTrigger[];
  /** Another organization, whose records are deleted, restored and merged. */
  trash: { orgId: string; apiKey: string };
}

const scopes = ['records:read', 'records:write', 'events:read'] as const;
const trashScopes = [...scopes, 'records:delete', 'activities:write'] as const;

/** Fills the database with a trigger and its workflows for every kind of post. */
export async function prepareScenario(bed: TestBed, kinds: readonly Kind[]): Promise<Scenario> {
  const { database } = bed;
  for (const sql of auditSql) await database.query(statement('', sql), []);
  const { orgId, keys } = await createTestOrganization(database, 'Chaos', scopes);
  const targets: LoadTrigger[] = [];
  for (const kind of kinds) targets.push(await prepareTrigger(bed, orgId, kind));
  const trash = await createTestOrganization(database, 'Chaos of the trash', trashScopes);
  return { orgId, apiKey: keys[0]!, targets, trash: { orgId: trash.orgId, apiKey: trash.keys[0]! } };
}

async function prepareTrigger(
  { database, outside, signingKeys }: TestBed,
  orgId: string,
  kind: Kind,
): Promise<LoadTrigger> {
  const { name, workflows, sender } = kind;
  const assigned = workflows.map(({ definition, inputs, isCalling, filter }) => ({
    definition,
    inputs: { ...inputs, ...(isCalling && { outside: { const: outside.url } }) },
    filter,
  }));
  const { signature, secret } = sender ?? {};
  const target = await createTestTrigger(database, orgId, { name, assigned, signature, secret, signingKeys });
  for (const [at, { isUnreadable }] of workflows.entries())
    if (isUnreadable) await database.query(spoil, [orgId, target.workflowIds[at]]);
  return { kind, triggerId: target.triggerId, headersOf: headersFor(target.secret, sender) };
}

/** Replaces a definition by one that uses an unknown step, as if another release had stored it. */
const spoil = statement<never>(
  'chaos.spoil',
  `UPDATE workflow_versions SET definition = '{"name":"spoilt","steps":[{"id":"a","use":"no.such","with":{}}]}'
   WHERE org_id = $1 AND workflow_id = $2`,
);
