import { neighbour } from '../../neighbour.ts';
import { postOnAndOn } from '../../flood/requests.ts';

const postsCount = 400;
/** Size of a piece. All posts together send 64 MB per second. */
const pieceBytes = 16_384;
const againAfterMs = 5_000;

/** Body with the maximum content that may be stored, and white space up to the maximum size: 1 MB. */
const body = Buffer.from(JSON.stringify({ content: '€'.repeat(100_000) }).padEnd(848_576));

export const largePosts = neighbour({
  name: 'V5',
  flood: `${postsCount} posts of 1 MB at once, with one key`,
  probes: ['get', 'post'],
  apps: ['records-api'],
  memory: { app: 'records-api', mostMb: 300 },
  responses: { status: [201, 503] },
  async run(context) {
    const { urls, flooder } = context;
    const ofBody = { 'content-type': 'application/json', 'content-length': body.length };
    const headers = { 'x-api-key': flooder.keys[0]!, ...ofBody };
    const request = { url: urls['records-api']!, method: 'POST', path: '/v1/activities/custom', headers } as const;
    const slow = { body, pieceBytes, heldBytes: body.length / 2, againAfterMs };
    await Promise.all(Array.from({ length: postsCount }, () => postOnAndOn(context, request, slow)));
  },
  // Half of each accepted body has arrived, and all other posts were refused.
  hasEffect: ({ figures }) => figures['held']! > 0 && figures['held']! + (figures['refused'] ?? 0) >= postsCount,
});
