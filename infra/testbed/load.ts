/** A request of a load, ready to be repeated. */
export interface LoadRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Expected status of the response, if it differs from the status of the job. */
  status?: number;
}

/** Placeholder that is replaced by a different string each time a request is sent. */
export const unique = '@@unique';

export interface LoadJob {
  url: string;
  headers: Record<string, string>;
  /** Requests, which are chosen at random unless `isOnce` is set. */
  requests: LoadRequest[];
  /** True to send each request once, in order. The run ends early if none is left. */
  isOnce?: boolean;
  /** Expected status. Any other status ends the run with an error. */
  status: number;
  /** Keep-alive connections, each with one request at a time. */
  connections: number;
  warmUpMs: number;
  durationMs: number;
}

/** The measurements between the end of the warm-up and the end of the run. */
export interface LoadResult {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** The share of one core that the load process itself uses. */
  cpuShare: number;
}

export type LoadReply<Result = LoadResult> = { result: Result } | { error: string };
