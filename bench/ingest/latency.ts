import { quantile } from '@relata/testbed/quantile';
import { awaitEffects } from './burst.ts';
import { firstEffects } from './effect.sql.ts';
import { leadEmail } from './lead.ts';
import { postsPerSecond } from './plan.ts';
import type { Service } from './service.ts';

/** Milliseconds until the first step's effect was committed. */
export interface Latency {
  /** Measured from the commit of the delivery, after which it is answered with 202. */
  fromAcceptance: Quantiles;
  fromSending: Quantiles;
}

interface Quantiles {
  p50: number;
  p99: number;
  max: number;
}

/** Posts `count` leads at random instants, `postsPerSecond` on average. Returns the times to their first effects. */
export async function measureLatency(service: Service, count: number): Promise<Latency> {
  const { database, posts, receiver, posted: from } = service;
  const { path, headers } = database.targets[1];
  const job = { url: receiver.url, path, headers, from, count, rate: { perSecond: postsPerSecond } };
  const { startedAt, sentAt } = await posts.run(job);
  service.posted += count;
  await awaitEffects(service);
  const effects = await firstEffects(database, startedAt);
  if (effects.length !== count) throw new Error(`Only ${effects.length} of ${count} accepted posts have an effect.`);
  const sent = new Map(sentAt.map((at, i) => [leadEmail(from + i), at]));
  return {
    fromAcceptance: quantiles(effects.map(({ ms }) => ms)),
    fromSending: quantiles(effects.map(({ at, email }) => at - sent.get(email)!)),
  };
}

function quantiles(values: number[]): Quantiles {
  values.sort((a, b) => a - b);
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99), max: values.at(-1)! };
}
