import { createTarget, newSigningKeys, type Target } from '@relata/testbed/site';
import { RefusedBody } from './refused-body.ts';
import { refusedBodies } from './refused-bodies.ts';

const body = new RefusedBody(520_000);
const signingKeys = newSigningKeys();
const wrongSignature = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
const wrongSecret = { 'x-webhook-secret': 'relata_whs_0000000000000000000000000000000000000000' };

/** Posts to a trigger with a secret, and to one whose sender signs. Refused posts do not count towards a limit. */
export const refusedDeliveries = refusedBodies<Target>({
  name: 'refused-deliveries',
  app: 'webhook-ingest',
  probes: ['webhook', 'sibling'],
  of: 'syntax, levels, keys, many objects without the required input, a list, size, secret, signature',
  statuses: { syntax: 400, levels: 400, keys: 400, objects: 400, list: 400, size: 413, secret: 401, signature: 401 },
  settings: { SIGNING_KEYS: signingKeys },
  prepare: ({ database }, { orgId }) => createTarget(database, orgId, { signature: { kind: 'github' }, signingKeys }),
  kinds({ flooder: { leads }, own }) {
    const of = (bytes: Buffer, headers = {}) => {
      return () => ({ path: leads.path, body: bytes, headers: { ...leads.headers, ...headers } });
    };
    const text = body.text();
    return {
      syntax: of(body.syntax('')),
      levels: of(body.levels('', 'a')),
      keys: of(body.fields('')),
      objects: of(body.list('"a":', '{}', '}')),
      list: of(Buffer.from(body.list('"a":', '{}', '}').subarray(5, -1))),
      size: of(Buffer.concat([text, text])),
      secret: of(text, wrongSecret),
      signature: () => ({ path: own.path, body: text, headers: wrongSignature }),
    };
  },
});
