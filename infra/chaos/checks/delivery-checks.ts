import { check, type Check, minus, repeated } from './check.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { isAcked, type Post } from '../load/load.ts';

/** Compares the responses that clients got with the stored deliveries. */
export function deliveryChecks({ posts, deliveries }: Evidence): Check[] {
  const stored = deliveries.map(({ nonce }) => nonce ?? 'a delivery without a nonce');
  const sent = posts.map(({ nonce }) => nonce);
  const acked = posts.filter(isAcked).map(({ nonce }) => nonce);
  const refused = posts.filter(isRefused);
  const isStored = new Set(stored);
  const keyed = new Set(posts.filter(({ isKeyed }) => isKeyed).map(({ nonce }) => nonce));
  return [
    check('an acknowledged delivery is stored', acked, minus(acked, stored)),
    check('every stored delivery was sent', stored, minus(isStored, sent)),
    check('a sent delivery is stored at most once', sent, repeated(stored)),
    check('repeats with one key make one delivery', keyed.size, repeated(stored.filter((nonce) => keyed.has(nonce)))),
    check(
      'a delivery that was answered with an error is not stored',
      refused,
      refused.filter(({ nonce }) => isStored.has(nonce)).map(describe),
    ),
    check('every post gets the expected answer', posts, posts.filter(hasWrongStatus).map(describe)),
  ];
}

/** Returns true if every attempt was answered, and none with 202. */
function isRefused({ attempts }: Post): boolean {
  return attempts.length > 0 && attempts.every(({ status }) => status !== undefined && status !== 202);
}

function hasWrongStatus({ attempts, kind }: Post): boolean {
  return attempts.some(({ status }) => status !== undefined && status !== 503 && status !== kind.status);
}

function describe({ nonce, kind, attempts }: Post): string {
  return `${kind.name} ${nonce}: ${attempts.map(({ status, sentAt }) => `${status ?? 'no answer'} at ${sentAt}`).join(', ')}`;
}
