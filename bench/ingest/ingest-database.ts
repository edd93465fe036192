import { openDatabase } from '@relata/db';
import { unique } from '@relata/testbed/load';
import {
  createTestTrigger,
  createTestOrganization,
  newSigningKeys,
  signBody,
  type TestTrigger,
} from '@relata/testbed/fixtures';
import { openAdmin } from '../servers.ts';
import { leadInputs, leadWorkflow } from './lead.ts';

export const assignedCounts = [0, 1, 3] as const;
export type Assigned = (typeof assignedCounts)[number];

export interface Sender {
  path: string;
  headers: Record<string, string>;
  /** Returns the headers with which a signing sender authenticates a body. */
  headersOf?: (body: string) => Record<string, string>;
  /** True if each body must be sent only once, because the receiver does not store a copy of a signed post. */
  isOnce?: boolean;
}

/** A database with an organization and its triggers. */
export type IngestDatabase = Awaited<ReturnType<typeof openIngestDatabase>>;

/** Keys with which the receivers of the bench decrypt the secrets of senders. */
export const signingKeys = newSigningKeys();

const assigned = ['inbound-lead', 'second-lead', 'third-lead'].map((name) => ({
  definition: leadWorkflow(name),
  inputs: leadInputs,
}));

export async function openIngestDatabase(stack: AsyncDisposableStack, url: string) {
  const database = stack.use(openDatabase({ url, name: 'bench' }));
  const { orgId } = await createTestOrganization(database, 'Bench');
  const target = (count: Assigned) => createTestTrigger(database, orgId, { assigned: assigned.slice(0, count) });
  /** Triggers, by the number of workflows that each one starts. */
  const targets: Record<Assigned, TestTrigger> = { 0: await target(0), 1: await target(1), 3: await target(3) };
  const signature = { kind: 'github' } as const;
  const options = { name: 'Signed', signature, signingKeys, assigned: assigned.slice(0, 1) };
  const { path, secret } = await createTestTrigger(database, orgId, options);
  const secretOnce: Sender = { ...targets[1], isOnce: true };
  const signed: Sender = {
    path,
    isOnce: true,
    headers: { 'X-GitHub-Event': 'issues' },
    headersOf: (body) => signBody(signature, secret, Buffer.from(body)),
  };
  const withHeader = (from: Sender, name: string, id: string) => ({
    ...from,
    headers: { ...from.headers, [name]: id },
  });
  /**
   * Senders to triggers with one workflow. They send a secret or sign like GitHub, and send each body once. The
   * `WithId` senders add an id to each post, by which the receiver detects repeats.
   */
  const senders: Record<'secret' | 'signed' | 'secretWithId' | 'signedWithId', Sender> = {
    secret: secretOnce,
    signed,
    secretWithId: withHeader(secretOnce, 'Idempotency-Key', unique),
    signedWithId: withHeader(signed, 'X-GitHub-Delivery', `72d3162e-cc78-11e3-81ab-${unique}`),
  };
  return {
    url,
    admin: await openAdmin(stack, url),
    orgId,
    targets,
    senders,
    workflowId: targets[1].workflowIds[0]!,
    createOrganization: async (name: string) => (await createTestOrganization(database, name)).orgId,
  };
}
