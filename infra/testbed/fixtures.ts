import { randomBytes } from 'node:crypto';
import { createApiKey, createOrganization } from '@relata/auth';
import type { Database } from '@relata/db';
import { noopBus, operatorActor } from '@relata/events';
import { makeLocalLink, redeemLink } from '@relata/people';
import type { Scope } from '@relata/schemas';
import { signingSettings } from '@relata/secrets';
import { findSignatureKind, type SignatureSpec, signPost } from '@relata/signatures';
import { applyWorkflow, assignWorkflow, createTrigger, type InputMapping } from '@relata/workflows';

export interface Assigned {
  definition: object;
  inputs?: InputMapping;
  filter?: string | undefined;
}

export const requiredText = { type: 'string', required: true };

/** Returns a workflow with these inputs, each taken from the field of the payload with its name. */
export function workflowOf(name: string, inputs: Record<string, object>, ...steps: object[]): Assigned {
  const mapping = Object.fromEntries(Object.keys(inputs).map((input) => [input, `payload.${input}`]));
  return { definition: { name, inputs, steps }, inputs: mapping };
}

export interface TestTriggerOptions {
  name?: string;
  assigned?: readonly Assigned[];
  /** Signature of a sender who signs, which needs `signingKeys`. */
  signature?: SignatureSpec | undefined;
  /** The secret, if the sender's system chooses it. */
  secret?: string | undefined;
  signingKeys?: string;
}

/** A trigger to post to, as JSON, because it is sent to the processes of floods and probes. */
export interface TestTrigger {
  triggerId: string;
  secret: string;
  path: string;
  /** Headers that authenticate a post, unless the sender signs. */
  headers: Record<string, string>;
  workflowIds: string[];
}

/** Creates an organization and API keys for it. Each key has limits of its own. */
export async function createTestOrganization(
  database: Database,
  name: string,
  scopes: readonly Scope[] = [],
  keysCount = 1,
) {
  const { id: orgId } = await createOrganization(database, name);
  const keys: string[] = [];
  for (let at = 0; scopes.length > 0 && at < keysCount; at++)
    keys.push((await createApiKey(database, orgId, { name: `${name} ${at}`, kind: 'secret', scopes })).key);
  return { orgId, keys };
}

/** Creates a trigger and the workflows that it starts. */
export async function createTestTrigger(
  database: Database,
  orgId: string,
  { name = 'Form', assigned = [], signature, secret: given, signingKeys }: TestTriggerOptions = {},
): Promise<TestTrigger> {
  const [context, actor] = [{ database, bus: noopBus }, operatorActor(orgId, 'suite')];
  const keys = signingKeys === undefined ? undefined : signingSettings.SIGNING_KEYS.parse(signingKeys);
  const { trigger, secret = given! } = await createTrigger(context, actor, { name, signature, secret: given }, keys);
  const triggerId = trigger.id;
  const workflowIds: string[] = [];
  for (const { definition, inputs = {}, filter } of assigned) {
    const { applied } = await applyWorkflow(context, actor, definition);
    await assignWorkflow(context, actor, { triggerId, workflowId: applied.id, inputs, filter });
    workflowIds.push(applied.id);
  }
  const headers: Record<string, string> = signature ? {} : { 'x-webhook-secret': secret };
  return { triggerId, secret, path: `/webhooks/trigger/${triggerId}`, headers, workflowIds };
}

/** Signs somebody in to the console of an organization, and returns the cookie. */
export async function signIn(database: Database, orgId: string): Promise<string> {
  const person = { email: `${orgId}@localhost`, name: 'Suite', orgIds: [orgId], requestId: 'suite' };
  const { token } = await makeLocalLink({ database }, person);
  const client = { ip: '127.0.0.1', userAgent: 'suite' };
  const redeeming = { client, maxMs: 86_400_000, requestId: 'suite', currentPersonId: undefined };
  return `relata_session=${await redeemLink({ database }, { token }, redeeming)}`;
}

/** Returns a value for `SIGNING_KEYS`. */
export function newSigningKeys(): string {
  return randomBytes(32).toString('base64');
}

/** Returns the headers with which a sender signs a body, now. */
export function signBody(signature: SignatureSpec, secret: string, body: Buffer, id = ''): Record<string, string> {
  return signPost(findSignatureKind(signature), { secret, body, url: '', id, nowMs: Date.now() }).headers;
}
