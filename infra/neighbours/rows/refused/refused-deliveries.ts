import { createTestTrigger, newSigningKeys, type TestTrigger } from '@relata/testbed/fixtures';
import { RefusedBody } from './refused-body.ts';
import { refusedBodies } from './refused-bodies.ts';

const body = new RefusedBody(520_000);
const signingKeys = newSigningKeys();
const wrongSignature = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
const wrongSecret = { 'x-webhook-secret': 'relata_whs_0000000000000000000000000000000000000000' };

/** Posts to a trigger with a secret, and to one whose sender signs. Refused posts do not count towards a limit. */
export const refusedDeliveries = refusedBodies<TestTrigger>({
  name: 'refused-deliveries',
  app: 'webhook-ingest',
  probes: ['webhook', 'sibling'],
  of: 'syntax, levels, keys, many objects without the required input, a list, size, secret, signature',
  faults: {
    syntax: [400, () => body.syntax('')],
    levels: [400, () => body.levels('', 'a')],
    keys: [400, () => body.fields('')],
    objects: [400, () => body.list('"a":', '{}', '}')],
    list: [400, () => Buffer.from(body.list('"a":', '{}', '}').subarray(5, -1))],
    size: [413, () => body.tooLarge()],
    secret: [401, () => body.text()],
    signature: [401, () => body.text()],
  },
  settings: { SIGNING_KEYS: signingKeys },
  prepare: ({ database }, { orgId }) =>
    createTestTrigger(database, orgId, { signature: { kind: 'github' }, signingKeys }),
  sentOf: ({ flooder: { leads }, own }, kind) =>
    kind === 'signature'
      ? { path: own.path, headers: wrongSignature }
      : { path: leads.path, headers: kind === 'secret' ? wrongSecret : leads.headers },
});
