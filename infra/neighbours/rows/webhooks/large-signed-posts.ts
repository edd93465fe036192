import { randomUUID } from 'node:crypto';
import { createTestTrigger, newSigningKeys, signBody, type TestTrigger } from '@relata/testbed/fixtures';
import { inWaves } from '../../flood/load-shapes.ts';
import { senderTo } from '../../flood/requests.ts';
import { neighbour } from '../../neighbour.ts';

const sendersCount = 32;
const github = { kind: 'github' } as const;
const signingKeys = newSigningKeys();
/** The end of a body of 5 MB with 130,000 keys. */
const items = Array.from({ length: 65_000 }, (_, at) => ({ sku: `SKU-${at}`, note: 'x'.repeat(46) }));
const rest = Buffer.from(`,"items":${JSON.stringify(items)}}`);

const step = { id: 'log', use: 'activity.create', with: { content: 'Imported.' } };
const imports = {
  definition: { name: 'imports', inputs: { order: { type: 'object', required: true } }, steps: [step] },
  inputs: { order: 'payload' },
};

/**
 * Tests that large verified bodies with many keys, which are parsed and stored with the inputs of their runs, do not
 * delay others (acceptance S.19).
 */
export const largeSignedPosts = neighbour<TestTrigger>({
  name: 'S.19',
  flood: `${sendersCount} senders of signed bodies of 5 MB with 130,000 keys, one after the other, to one trigger, whose workflow takes the whole body as an input`,
  probes: ['webhook', 'sibling'],
  apps: ['webhook-ingest'],
  settings: { SIGNING_KEYS: signingKeys },
  // Below the limit of the container, 640 MiB.
  memory: { app: 'webhook-ingest', mostMb: 550 },
  prepare: ({ database }, { orgId }) =>
    createTestTrigger(database, orgId, { assigned: [imports], signature: github, signingKeys }),
  responses: { status: [202, 408, 503] },
  async run(context) {
    const { path, secret } = context.own;
    const send = senderTo(context, 'webhook-ingest');
    await inWaves(context.signal, { count: sendersCount, everyMs: 0 }, () => {
      const body = Buffer.concat([Buffer.from(`{"id":"${randomUUID()}"`), rest]);
      return send({ method: 'POST', path, headers: signBody(github, secret, body, randomUUID()), body });
    });
  },
  hasEffect: ({ figures }) => (figures['status 202'] ?? 0) >= 3,
});
