import { randomUUID } from 'node:crypto';
import {
  describeKind,
  findSignatureKind,
  listOptions,
  signatureKinds,
  SignatureSpec,
  signPost,
} from '@relata/signatures';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSignedReceiver } from './signed.harness.ts';

let receiver: Awaited<ReturnType<typeof startSignedReceiver>>;
beforeAll(async () => void (receiver = await startSignedReceiver()));
afterAll(() => receiver[Symbol.asyncDispose]());

const own = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test.for(signatureKinds)(
  'the sample of %s is accepted, and its repeat is recognized by the key of the kind',
  async (kind) => {
    const { sample, repeatKey } = describeKind(kind);
    const required = listOptions(kind).filter(({ isRequired }) => isRequired);
    const options = Object.fromEntries(required.map(({ name }) => [name, 'x-proof']));
    const spec = SignatureSpec.parse({ kind, ...(required.length > 0 && { options }) });
    const { id } = await receiver.newSignedTrigger(spec, own);
    const url = `${receiver.url}/webhooks/trigger/${id}`;
    const { body, headers } = sample(randomUUID());
    // Sends the same event with different bytes, so that only the repeat key can recognize it.
    for (const text of [JSON.stringify(body), JSON.stringify(body, null, 1)]) {
      const signing = { secret: own, url, body: Buffer.from(text), id: 'msg_1', nowMs: Date.now() };
      const proof = signPost(findSignatureKind(spec), signing);
      const response = await fetch(proof.url, {
        method: 'POST',
        body: text,
        headers: { ...headers, ...proof.headers },
      });
      expect(response.status).toBe(202);
    }
    const stored = (await receiver.deliveries()).filter((row) => row.trigger_id === id);
    expect(stored.map((row) => row.repeat_problem)).toEqual(repeatKey === null ? [null, null] : [null]);
  },
);
