import type { Evidence } from '../evidence/evidence.ts';
import { kinds } from '../load/kinds.ts';
import { isAcked, type Post } from '../load/load.ts';
import { check, type Check } from './check.ts';
import { nameOf } from './expectations.ts';

/** Checks the responses that signing senders got for their posts, for each kind separately. */
export function signedChecks({ posts, deliveries, runs }: Evidence): Check[] {
  const deliveriesOf = Map.groupBy(deliveries, ({ nonce }) => nonce);
  const runsOf = Map.groupBy(runs, nameOf);
  const startedBy = ({ nonce, kind }: Post) => {
    const stored = deliveriesOf.get(nonce) ?? [];
    const names = stored.flatMap(({ id }) => kind.workflows.map(({ definition }) => `${id} ${definition.name}`));
    return { stored: stored.length, runs: names.map((name) => runsOf.get(name)?.length ?? 0) };
  };
  return signedKinds.map((kind) => {
    const sent = posts.filter((post) => post.kind === kind && isAcked(post));
    const faults = sent.flatMap((post) => {
      const found = startedBy(post);
      const isOnce = found.stored === 1 && found.runs.every((count) => count === 1);
      return isOnce ? [] : [`${post.nonce}: ${found.stored} deliveries, runs: ${found.runs.join(', ')}`];
    });
    return check(claimOf(kind.name), sent, faults);
  });
}

const signedKinds = kinds.filter(({ sender, status }) => sender && status === 202);

export const claimOf = (name: string) => `${name}: one delivery and its runs once, however often it was sent`;
