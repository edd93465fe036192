import type { Evidence } from './evidence.ts';
import { isAcked } from '../load/load.ts';
import { type Span, totalMs, without } from './timeline.ts';

export interface Acceptance {
  /** Deliveries accepted per second without a fault. */
  perSecond: number;
  /** Deliveries accepted per second while only NATS was unavailable. */
  perSecondWithoutNats: number;
  /** The shorter of the two measured times. */
  watchedMs: number;
}

/** Time after each fault that is left out of the measurement, because clients retry and restarted processes warm up. */
const tailMs = 1_000;

export function acceptance({ posts, timeline }: Pick<Evidence, 'posts' | 'timeline'>): Acceptance {
  const times = posts.filter(isAcked).map(({ attempts }) => attempts.find(({ status }) => status === 202)!.endedAt);
  const isOfNats = ({ name }: Span) => name.startsWith('nats-');
  const whole = { name: 'all', from: Math.min(...times), to: Math.max(...times) };
  const others = timeline.faults.filter((span) => !isOfNats(span));
  const calm = without([whole], timeline.faults, tailMs);
  const away = without(timeline.natsAway, others, tailMs);
  const watchedMs = Math.min(totalMs(calm), totalMs(away));
  return { perSecond: rate(times, calm), perSecondWithoutNats: rate(times, away), watchedMs };
}

function rate(times: readonly number[], spans: readonly Span[]): number {
  const count = times.filter((time) => spans.some(({ from, to }) => from <= time && time < to)).length;
  const ms = totalMs(spans);
  return ms === 0 ? 0 : (count / ms) * 1_000;
}
