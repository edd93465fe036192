import { aborted, waited } from '../../flood/pace.ts';
import type { FloodContext } from '../../flood/flood.ts';
import { neighbour } from '../../neighbour.ts';
import { sendPaced } from '../../flood/paced-body.ts';
import { RawConnection } from '../../flood/raw-connection.ts';

const bodyBytes = 524_288;
/** The last bytes never come. */
const almostAll = Buffer.alloc(bodyBytes - 8, ' ');

interface Sender {
  count: number;
  pieceBytes: number;
  /** The pause before a post that was refused or cut off is sent again. */
  againAfterMs: number;
}

/** Posts that take the memory, and posts that take what is freed of it. */
const patient: Sender = { count: 128, pieceBytes: 16_384, againAfterMs: 5_000 };
const eager: Sender = { count: 8, pieceBytes: 65_536, againAfterMs: 100 };
const sendersCount = patient.count + eager.count;

/** V3: bodies that never end hold what all bodies together may take. */
export const unfinishedPosts = neighbour({
  name: 'V3',
  resource: 'memory for bodies of deliveries',
  flood: `${sendersCount} posts of 512 KB to one trigger that never end`,
  probes: ['webhook', 'sibling'],
  apps: ['webhook-ingest'],
  answers: { status: [408, 503] },
  async run(context) {
    const all = [patient, eager].flatMap((sender) =>
      Array.from({ length: sender.count }, () => postOnAndOn(context, sender)),
    );
    await Promise.all(all);
  },
  // Some of the bodies are held, as many as may be, and the others refused.
  hasEffect: ({ figures }) => figures['held']! > 0 && figures['held']! + figures['refused']! >= sendersCount,
});

async function postOnAndOn({ urls, flooder, signal, count }: FloodContext<unknown>, sender: Sender): Promise<void> {
  const { path } = flooder.plain;
  const headers = { ...flooder.plain.headers, 'content-type': 'application/json', 'content-length': bodyBytes };
  while (!signal.aborted) {
    using post = new RawConnection({ url: urls['webhook-ingest']!, method: 'POST', path, headers });
    post.sendHead();
    const over = new AbortController();
    const ended = post.statusThenStall().then((status) => {
      count(`status ${status}`);
      over.abort();
    });
    await sendPaced(post, almostAll, sender.pieceBytes, AbortSignal.any([signal, over.signal]));
    count(over.signal.aborted ? 'refused' : 'held');
    await Promise.race([ended, aborted(signal)]);
    post.socket.destroy();
    await waited(sender.againAfterMs, signal);
  }
}
