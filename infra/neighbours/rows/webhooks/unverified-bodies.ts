import { randomBytes, randomUUID } from 'node:crypto';
import { noBus, operatorIn } from '@relata/events';
import { signingSettings } from '@relata/secrets';
import { signatureKindOf, signedHeaders } from '@relata/signatures';
import { createTrigger } from '@relata/workflows';
import { sendPaced } from '../../flood/paced-body.ts';
import { aborted, atPace, waited } from '../../flood/pace.ts';
import type { FloodContext } from '../../flood/flood.ts';
import { RawConnection } from '../../flood/raw-connection.ts';
import { HttpClient } from '@relata/testbed/http-client';
import { neighbour } from '../../neighbour.ts';

const strangersCount = 10_000;
const strangersOfAddress = 50;
const againAfterMs = 10_000;
/** All that are read at once together 64 MB a second. */
const pieceBytes = 65_536;
const body = Buffer.from(JSON.stringify({ a: 'x'.repeat(524_280) }));
/** Well-formed, so that only the body shows that it is wrong. */
const wrong = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };

const verifiedPerSecond = 20;
const signingKeys = randomBytes(32).toString('base64');
const github = { kind: 'github' } as const;

/** A trigger whose sender signs, and the sender's secret. */
interface Signed {
  path: string;
  secret: string;
}

/** S.3: a body has to be read before it is known who sent it. */
export const unverifiedBodies = neighbour<Signed>({
  name: 'S.3',
  resource: 'memory for bodies whose signature is not known yet',
  flood: `${strangersCount.toLocaleString('en')} bodies of 512 KB at once with a wrong signature, to one trigger`,
  probes: ['webhook', 'sibling'],
  apps: ['webhook-ingest'],
  settings: { SIGNING_KEYS: signingKeys },
  memory: { app: 'webhook-ingest', mostMb: 400 },
  async prepare({ database }, { orgId }) {
    const keys = signingSettings.SIGNING_KEYS.parse(signingKeys)!;
    const [context, actor] = [{ database, bus: noBus }, operatorIn(orgId, 'unverified')];
    const { trigger, secret } = await createTrigger(context, actor, { name: 'Signed', signature: github }, keys);
    return { path: `/webhooks/trigger/${trigger.id}`, secret: secret! };
  },
  // The flood has little of the processor: what it sends too slowly is answered with 408, its own posts as well.
  answers: { status: [401, 408, 503], verified: [202, 408] },
  async run(context) {
    const strangers = Array.from({ length: strangersCount }, (_, at) => postOnAndOn(context, at));
    await Promise.all([...strangers, postVerified(context)]);
  },
  hasEffect: ({ figures }) => figures['asked']! >= strangersCount && (figures['verified 202'] ?? 0) > 0,
});

async function postOnAndOn({ urls, own, signal, count }: FloodContext<Signed>, at: number): Promise<void> {
  const address = Math.floor(at / strangersOfAddress);
  const network = `${Math.floor(address / 250)}.${address % 250}`;
  // Whether a proxy stands before the receiver or not: they come from as many addresses.
  const localAddress = `127.51.${network}`;
  const headers = {
    ...wrong,
    'x-forwarded-for': `198.51.${network}`,
    'content-type': 'application/json',
    'content-length': body.length,
  };
  // A burst that no client's machine would send in the same microsecond.
  await waited(1_000 * Math.random(), signal);
  while (!signal.aborted) {
    const to = { url: urls['webhook-ingest']!, method: 'POST', path: own.path, headers, localAddress } as const;
    using post = new RawConnection(to);
    post.sendHead();
    count('asked');
    const over = new AbortController();
    const ended = post.statusThenStall().then((status) => {
      // Where nothing was read the connection is closed, which may lose the answer on its way.
      if (status !== 0) count(`status ${status}`);
      over.abort();
    });
    await sendPaced(post, body, pieceBytes, AbortSignal.any([signal, over.signal]));
    await Promise.race([ended, aborted(signal)]);
    await waited(againAfterMs * (0.5 + Math.random()), signal);
  }
}

/** The sender who has the secret, at an address of its own, posts to the same trigger. */
async function postVerified({ urls, own, signal, count }: FloodContext<Signed>): Promise<void> {
  using client = new HttpClient(urls['webhook-ingest']!);
  await atPace(signal, verifiedPerSecond, async (turn) => {
    const bytes = Buffer.from(JSON.stringify({ turn }));
    const signing = { secret: own.secret, url: '', id: randomUUID(), nowMs: Date.now(), body: bytes };
    const headers = { ...signedHeaders(signatureKindOf(github), signing), 'x-forwarded-for': '203.0.113.1' };
    count(`verified ${await client.statusOf({ method: 'POST', path: own.path, headers, body: bytes, signal })}`);
  });
}
