import { randomBytes, randomUUID } from 'node:crypto';
import { noopBus, operatorActor } from '@relata/events';
import { signingSettings } from '@relata/secrets';
import { findSignatureKind, signPost, type SignatureSpec } from '@relata/signatures';
import { createTrigger, rotateTriggerSecret } from '@relata/workflows';
import { type ReceiverOptions, startReceiver } from '../webhook-ingest.harness.ts';

export const newSigningKeys = (text = randomBytes(32).toString('base64')) => signingSettings.SIGNING_KEYS.parse(text)!;

export const hmacSpec: SignatureSpec = {
  kind: 'hmac',
  options: {
    header: 'x-acme-digest',
    algorithm: 'sha512',
    encoding: 'base64',
    prefix: 'v1=',
    template: '{timestamp}.{body}',
    timestampHeader: 'x-acme-sent-at',
  },
};

/** A trigger whose sender signs, with the sender's settings. */
export interface SignedTrigger {
  id: string;
  spec: SignatureSpec;
  secret: string;
}

export interface SignedBody {
  body: string | Buffer;
  url?: string;
  nowMs?: number;
}

/** Returns the headers that the sender sends with this body. */
export function postHeaders({ id, spec, secret }: SignedTrigger, { body, url = '', nowMs = Date.now() }: SignedBody) {
  const signing = { secret, body: Buffer.from(body), id: randomUUID(), nowMs };
  return signPost(findSignatureKind(spec), { ...signing, url: `${url}/webhooks/trigger/${id}` }).headers;
}

/** Posts a body like the sender, and returns the status. */
export async function postAs({ id, spec, secret }: SignedTrigger, { url, body }: { url: string; body: string }) {
  const signing = { secret, body: Buffer.from(body), id: randomUUID(), nowMs: Date.now() };
  const proof = signPost(findSignatureKind(spec), { ...signing, url: `${url}/webhooks/trigger/${id}` });
  const headers = { 'content-type': 'application/json', ...proof.headers };
  return (await fetch(proof.url, { method: 'POST', headers, body })).status;
}

/** Starts a receiver that can decrypt the secrets of senders, with its own database. */
export async function startSignedReceiver(options: ReceiverOptions = {}) {
  const signingKeys = options.signingKeys ?? newSigningKeys();
  const receiver = await startReceiver({ ...options, signingKeys });
  const context = { database: receiver.db.database, bus: noopBus };
  return {
    ...receiver,
    signingKeys,
    newSignedTrigger: async (spec: SignatureSpec, secret?: string, orgId = receiver.orgId): Promise<SignedTrigger> => {
      const given = { name: spec.kind, signature: spec, secret };
      const made = await createTrigger(context, operatorActor(orgId, 'test'), given, signingKeys);
      return { id: made.trigger.id, spec, secret: (made.secret ?? secret)! };
    },
    rotate: async (target: SignedTrigger, overlapMs: number, secret?: string): Promise<SignedTrigger> => {
      const actor = operatorActor(receiver.orgId, 'test');
      const made = await rotateTriggerSecret(context, actor, { id: target.id, overlapMs, secret }, signingKeys);
      return { ...target, secret: (made.secret ?? secret)! };
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}
