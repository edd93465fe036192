import { acceptance } from '../evidence/acceptance.ts';
import { check, type Check } from './check.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { isWithin } from '../evidence/timeline.ts';

/** Minimum rate without NATS, as a share of the rate with it. A busy machine alone may reduce the rate considerably. */
const acceptanceLeast = 0.5;

const natsNodes = 3;

/** Checks that every NATS server has a copy of the stream, if there are several. */
export function clusterChecks({ streamCopies }: Evidence): Check[] {
  if (streamCopies === undefined) return [];
  const faults = streamCopies === natsNodes ? [] : [`${streamCopies} copies`];
  return [check('each of three NATS servers keeps the stream of runs', natsNodes, faults)];
}

/** Checks the service during outages of PostgreSQL and NATS. */
export function outageChecks(evidence: Evidence): Check[] {
  const { posts, apiWrites, timeline, crashes, pids } = evidence;
  const processes = [...pids.values()].reduce((sum, { size }) => sum + size, 0);
  const attempts = [...posts, ...apiWrites].flatMap((sent) => sent.attempts);
  // Attempts that overlap with an outage. They may succeed if they began before it or ended after it.
  const away = attempts.filter(({ sentAt, endedAt }) =>
    timeline.postgresAway.some(({ from, to }) => sentAt < to && endedAt > from),
  );
  const accepted = away.filter(
    ({ status = 0, sentAt, endedAt }) =>
      Math.floor(status / 100) === 2 && isWithin(timeline.postgresAway, sentAt, endedAt),
  );
  const unavailable = attempts.filter(({ status }) => status === 503);
  const { perSecond, perSecondWithoutNats, watchedMs } = acceptance(evidence);
  const isSlow = perSecondWithoutNats < perSecond * acceptanceLeast;
  return [
    check(
      'nothing is accepted while PostgreSQL is unavailable',
      away,
      accepted.map((attempt) => JSON.stringify(attempt)),
    ),
    check('no process ends by itself', processes, [...crashes]),
    check(
      'every 503 has a Retry-After header',
      unavailable,
      unavailable.filter(({ retryAfter }) => !Number(retryAfter)).map((attempt) => JSON.stringify(attempt)),
    ),
    check(
      'the receivers accept at least half as much without NATS',
      watchedMs,
      isSlow ? [`${perSecondWithoutNats.toFixed(1)}/s rather than ${perSecond.toFixed(1)}/s`] : [],
    ),
  ];
}
