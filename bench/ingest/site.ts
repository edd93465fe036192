import { openDatabase } from '@relata/db';
import { unique } from '@relata/testbed/load';
import {
  createTarget,
  createTestOrganization,
  newSigningKeys,
  signBody,
  type Target as Trigger,
} from '@relata/testbed/site';
import pg from 'pg';
import { leadInputs, leadWorkflow } from './lead.ts';

/** The measured numbers of workflows per trigger. */
export const assignedCounts = [0, 1, 3] as const;
export type Assigned = (typeof assignedCounts)[number];

export interface Target {
  path: string;
  headers: Record<string, string>;
  /** Returns the headers with which a signing sender authenticates a body. */
  headersOf?: (body: string) => Record<string, string>;
  /** True if each body must be sent only once, because the receiver does not store a copy of a signed post. */
  isOnce?: boolean;
}

/** A database with an organization and its triggers. */
export interface Site extends AsyncDisposable {
  url: string;
  /** Connection for the bench itself; its statements have no time limit. */
  admin: pg.Client;
  orgId: string;
  /** Triggers, by the number of workflows that each one starts. */
  targets: Record<Assigned, Trigger>;
  /**
   * Senders to triggers with one workflow. They send a secret or sign like GitHub, and send each body once. The
   * `WithId` senders add an id to each post, by which the receiver detects repeats.
   */
  senders: Record<'secret' | 'signed' | 'secretWithId' | 'signedWithId', Target>;
  /** The workflow of `targets[1]`. */
  workflowId: string;
  createOrganization(name: string): Promise<string>;
}

/** Keys with which the receivers of the bench decrypt the secrets of senders. */
export const signingKeys = newSigningKeys();

const assigned = ['inbound-lead', 'second-lead', 'third-lead'].map((name) => ({
  definition: leadWorkflow(name),
  inputs: leadInputs,
}));

export async function createSite(url: string): Promise<Site> {
  await using stack = new AsyncDisposableStack();
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  stack.defer(() => admin.end());
  const database = stack.use(openDatabase({ url, name: 'bench' }));
  const { orgId } = await createTestOrganization(database, 'Bench');
  const target = (count: Assigned) => createTarget(database, orgId, { assigned: assigned.slice(0, count) });
  const targets = { 0: await target(0), 1: await target(1), 3: await target(3) };
  const signature = { kind: 'github' } as const;
  const options = { name: 'Signed', signature, signingKeys, assigned: assigned.slice(0, 1) };
  const { path, secret } = await createTarget(database, orgId, options);
  const secretOnce: Target = { ...targets[1], isOnce: true };
  const signed: Target = {
    path,
    isOnce: true,
    headers: { 'X-GitHub-Event': 'issues' },
    headersOf: (body) => signBody(signature, secret, Buffer.from(body)),
  };
  const withHeader = (from: Target, name: string, id: string) => ({
    ...from,
    headers: { ...from.headers, [name]: id },
  });
  const senders = {
    secret: secretOnce,
    signed,
    secretWithId: withHeader(secretOnce, 'Idempotency-Key', unique),
    signedWithId: withHeader(signed, 'X-GitHub-Delivery', `72d3162e-cc78-11e3-81ab-${unique}`),
  };
  const opened = stack.move();
  return {
    url,
    admin,
    orgId,
    targets,
    senders,
    workflowId: targets[1].workflowIds[0]!,
    createOrganization: async (name) => (await createTestOrganization(database, name)).orgId,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
