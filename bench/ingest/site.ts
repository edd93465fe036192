import { randomBytes } from 'node:crypto';
import { createOrganization } from '@relata/auth';
import { type Database, openDatabase } from '@relata/db';
import { noBus, operatorIn } from '@relata/events';
import { signingSettings } from '@relata/secrets';
import { signatureKindOf, signedHeaders } from '@relata/signatures';
import { applyWorkflow, assignWorkflow, createTrigger } from '@relata/workflows';
import pg from 'pg';
import { unique } from '@relata/testbed/load';
import { leadInputs, leadWorkflow } from './lead.ts';

/** How many workflows a trigger starts. */
export const assignedCounts = [0, 1, 3] as const;
export type Assigned = (typeof assignedCounts)[number];

export interface Target {
  path: string;
  headers: Record<string, string>;
  /** Of a sender who signs, for each body. */
  headersOf?: (body: string) => Record<string, string>;
}

/** A database with an organization, and its triggers by how many workflows each starts. */
export interface Site extends AsyncDisposable {
  url: string;
  /** One connection for what the bench itself does; statements may take as long as they like. */
  admin: pg.Client;
  orgId: string;
  targets: Record<Assigned, Target & { triggerId: string }>;
  /** A trigger with a single workflow whose sender signs as GitHub does. */
  signed: Target;
  /** The same, and that with a secret, where each post carries an id by which repeats are found. */
  withIds: Record<'signed' | 'secret', Target>;
  /** Of the workflow that a trigger with a single one starts. */
  workflowId: string;
  createOrganization(name: string): Promise<string>;
}

export async function createSite(url: string): Promise<Site> {
  await using stack = new AsyncDisposableStack();
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  stack.defer(() => admin.end());
  const database = stack.use(openDatabase({ url, name: 'bench' }));
  const { id: orgId } = await createOrganization(database, 'Bench');
  const workflowIds: string[] = [];
  for (const name of ['inbound-lead', 'second-lead', 'third-lead']) {
    const context = { database, bus: noBus };
    const { applied } = await applyWorkflow(context, operatorIn(orgId, 'bench'), leadWorkflow(name));
    workflowIds.push(applied.id);
  }
  const target = (count: Assigned) => createTarget(database, orgId, workflowIds.slice(0, count));
  const targets = { 0: await target(0), 1: await target(1), 3: await target(3) };
  const signed = await createSignedTarget(database, orgId, workflowIds[0]!);
  const withHeader = (target: Target, name: string, id: string): Target => ({
    ...target,
    headers: { ...target.headers, [name]: id },
  });
  const withIds = {
    signed: withHeader(signed, 'X-GitHub-Delivery', `72d3162e-cc78-11e3-81ab-${unique}`),
    secret: withHeader(targets[1], 'Idempotency-Key', unique),
  };
  const opened = stack.move();
  return {
    url,
    admin,
    orgId,
    targets,
    signed,
    withIds,
    workflowId: workflowIds[0]!,
    createOrganization: async (name) => (await createOrganization(database, name)).id,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function createTarget(database: Database, orgId: string, workflowIds: readonly string[]) {
  const [context, actor] = [{ database, bus: noBus }, operatorIn(orgId, 'bench')];
  const { trigger, secret } = await createTrigger(context, actor, { name: `Starts ${workflowIds.length}` });
  const triggerId = trigger.id;
  for (const workflowId of workflowIds)
    await assignWorkflow(context, actor, { triggerId, workflowId, inputs: leadInputs });
  return { triggerId, path: `/webhooks/trigger/${triggerId}`, headers: { 'X-Webhook-Secret': secret! } };
}

/** What the receivers of the bench decrypt senders' secrets with. */
export const signingKeys = randomBytes(32).toString('base64');
const keys = signingSettings.SIGNING_KEYS.parse(signingKeys)!;

async function createSignedTarget(database: Database, orgId: string, workflowId: string): Promise<Target> {
  const [context, actor] = [{ database, bus: noBus }, operatorIn(orgId, 'bench')];
  const signature = { kind: 'github' } as const;
  const { trigger, secret } = await createTrigger(context, actor, { name: 'Signed', signature }, keys);
  await assignWorkflow(context, actor, { triggerId: trigger.id, workflowId, inputs: leadInputs });
  const signing = { secret: secret!, url: '', id: '', nowMs: 0 };
  return {
    path: `/webhooks/trigger/${trigger.id}`,
    headers: { 'X-GitHub-Event': 'issues' },
    headersOf: (body) => signedHeaders(signatureKindOf(signature), { ...signing, body: Buffer.from(body) }),
  };
}
