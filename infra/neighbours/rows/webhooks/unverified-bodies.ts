import { randomUUID } from 'node:crypto';
import { createTestTrigger, newSigningKeys, signBody, type TestTrigger } from '@relata/testbed/fixtures';
import { postOnAndOn, senderTo } from '../../flood/requests.ts';
import { atRate, waited } from '../../flood/load-shapes.ts';
import type { FloodContext } from '../../flood/flood.ts';
import { neighbour } from '../../neighbour.ts';

const strangersCount = 10_000;
const strangersOfAddress = 50;
const againAfterMs = 10_000;
/** Size of a piece. The bodies that the app reads at the same time arrive at about 64 MB per second in total. */
const pieceBytes = 65_536;
const body = Buffer.from(JSON.stringify({ a: 'x'.repeat(524_280) }));
/** Well-formed signature, so that only a check of the body shows that it is wrong. */
const wrong = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };

const verifiedPerSecond = 20;
const signingKeys = newSigningKeys();
const github = { kind: 'github' } as const;

/** S.3: tests that unverified bodies, which must be read before their sender is known, leave room for others. */
export const unverifiedBodies = neighbour<TestTrigger>({
  name: 'S.3',
  flood: `${strangersCount.toLocaleString('en')} bodies of 512 KB at once with a wrong signature, to one trigger`,
  probes: ['webhook', 'sibling'],
  apps: ['webhook-ingest'],
  settings: { SIGNING_KEYS: signingKeys },
  memory: { app: 'webhook-ingest', mostMb: 400 },
  prepare: ({ database }, { orgId }) => createTestTrigger(database, orgId, { signature: github, signingKeys }),
  // The flood gets little CPU time. Posts that it sends too slowly are answered with 408, including those of the
  // verified sender. If nothing was read, the connection is closed, which may lose the response.
  responses: { status: [0, 401, 408, 503], verified: [202, 408] },
  async run(context) {
    const strangers = Array.from({ length: strangersCount }, (_, at) => postWrong(context, at));
    await Promise.all([...strangers, postVerified(context)]);
  },
  hasEffect: ({ figures }) => figures['asked']! >= strangersCount && (figures['verified 202'] ?? 0) > 0,
});

async function postWrong(context: FloodContext<TestTrigger>, at: number): Promise<void> {
  const { urls, own, signal } = context;
  const address = Math.floor(at / strangersOfAddress);
  const network = `${Math.floor(address / 250)}.${address % 250}`;
  const headers = {
    ...wrong,
    'x-forwarded-for': `198.51.${network}`,
    'content-type': 'application/json',
    'content-length': body.length,
  };
  // The strangers have many addresses, whether or not the receiver trusts a proxy.
  const localAddress = `127.51.${network}`;
  const request = { url: urls['webhook-ingest']!, method: 'POST', path: own.path, headers, localAddress } as const;
  // Real clients would not all begin in the same microsecond.
  await waited(1_000 * Math.random(), signal);
  await postOnAndOn(context, request, { body, pieceBytes, againAfterMs });
}

/** Posts to the same trigger with the correct secret, from a separate address. */
async function postVerified(context: FloodContext<TestTrigger>): Promise<void> {
  // New connections take turns by address, so this sender must not share the probe's address.
  const send = senderTo(context, 'webhook-ingest', '127.52.0.1');
  const { path, secret } = context.own;
  await atRate(context.signal, verifiedPerSecond, (turn) => {
    const bytes = Buffer.from(JSON.stringify({ turn }));
    const headers = { ...signBody(github, secret, bytes, randomUUID()), 'x-forwarded-for': '203.0.113.1' };
    return send({ method: 'POST', path, headers, body: bytes }, 'verified');
  });
}
