import type { Party } from '../test-bed/party.ts';
import type { Urls } from '../test-bed/test-bed.ts';

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

/** The times of answers, each from when its request was due. */
export interface Latencies {
  count: number;
  p50Ms: number;
  p99Ms: number;
  /** Failed requests by status or error. */
  failures: Record<string, number>;
}

export type ProbeResult = Partial<Record<ProbeName, Latencies>>;
