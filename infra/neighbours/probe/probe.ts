import type { Party } from '../test-bed/party.ts';
import type { Urls } from '../test-bed/test-bed.ts';

/** One small thing that a healthy organization asks for, again and again. */
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
  | 'demo';

export interface ProbeJob {
  /** Of the database. */
  url: string;
  urls: Urls;
  other: Party;
  flooder: Party;
  probes: readonly ProbeName[];
  durationMs: number;
}

/** How long answers took, from when each request should have been sent. */
export interface Latencies {
  count: number;
  p50Ms: number;
  p99Ms: number;
  /** Requests that did not come to what they should have, by status or by what went wrong. */
  failures: Record<string, number>;
}

export type ProbeResult = Partial<Record<ProbeName, Latencies>>;
