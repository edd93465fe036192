import { aborted, waited } from '../../flood/pace.ts';
import type { FloodContext } from '../../flood/flood.ts';
import { neighbour } from '../../neighbour.ts';
import { sendPaced } from '../../flood/paced-body.ts';
import { RawConnection } from '../../flood/raw-connection.ts';

const postsCount = 400;
/** All together 64 MB a second. */
const pieceBytes = 16_384;
const againAfterMs = 5_000;

/** The most that may be stored, and space up to the most that may be sent: 1 MB. */
const body = Buffer.from(JSON.stringify({ content: '€'.repeat(100_000) }).padEnd(848_576));

/** V5: large bodies are all in memory at once. */
export const largePosts = neighbour({
  name: 'V5',
  resource: 'memory for bodies of the records API',
  flood: `${postsCount} posts of 1 MB at once, with one key`,
  probes: ['get', 'post'],
  apps: ['records-api'],
  memory: { app: 'records-api', mostMb: 300 },
  answers: { status: [201, 503] },
  async run(context) {
    await Promise.all(Array.from({ length: postsCount }, () => postOnAndOn(context)));
  },
  // Much of some bodies is there, of as many as may be, and the others were refused.
  hasEffect: ({ figures }) =>
    figures['half there']! > 0 && figures['half there']! + (figures['refused'] ?? 0) >= postsCount,
});

async function postOnAndOn({ urls, flooder, signal, count }: FloodContext<unknown>): Promise<void> {
  const ofBody = { 'content-type': 'application/json', 'content-length': body.length };
  const headers = { 'x-api-key': flooder.keys[0]!, ...ofBody };
  const half = body.length / 2;
  while (!signal.aborted) {
    using post = new RawConnection({
      url: urls['records-api']!,
      method: 'POST',
      path: '/v1/activities/custom',
      headers,
    });
    post.sendHead();
    const over = new AbortController();
    const ended = post.statusThenStall().then((status) => {
      count(`status ${status}`);
      over.abort();
    });
    const either = AbortSignal.any([signal, over.signal]);
    await sendPaced(post, body.subarray(0, half), pieceBytes, either);
    count(over.signal.aborted ? 'refused' : 'half there');
    await sendPaced(post, body.subarray(half), pieceBytes, either);
    await Promise.race([ended, aborted(signal)]);
    await waited(againAfterMs, signal);
  }
}
