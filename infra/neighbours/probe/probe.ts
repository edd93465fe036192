import type { Party } from '../test-bed/party.ts';
import type { Urls } from '@relata/testbed/service-bed';

/** A small request that a healthy organization sends again and again. */
export type ProbeName =
  | 'get'
  | 'post'
  | 'patch'
  | 'activity'
  | 'page'
  | 'webhook'
  | 'sibling'
  | 'run'
  | 'call'
  | 'chat'
  | 'model'
  | 'demo'
  | 'console';

export interface ProbeJob {
  url: string;
  urls: Urls;
  other: Party;
  flooder: Party;
  probes: readonly ProbeName[];
  /** Duration of the measurement, in which the times of requests count. */
  durationMs: number;
  /** True to begin the measurement only when `felt` is received. Requests are sent from the start in either case. */
  hasRamp?: boolean;
}

/** Sent to the probe once a flood has its effect. */
export const felt = 'felt';

/** Times of responses, each measured from the time at which the request was due. */
export interface Latencies {
  asked: number;
  /** Number of requests whose times count. */
  count: number;
  p50Ms: number;
  p99Ms: number;
  /** Longest time of all requests, including those before the measurement. */
  longestMs: number;
  /** Failed requests by status or error, including those before the measurement. */
  failures: Record<string, number>;
}

export type ProbeResult = Partial<Record<ProbeName, Latencies>>;
