/** Posts of leads, each with its own number. */
export interface PostsJob {
  url: string;
  path: string;
  headers: Record<string, string>;
  /** The number of the first one. */
  from: number;
  count: number;
  /**
   * Either as fast as they are accepted over this many connections, or this many per second on average, at random
   * instants.
   */
  rate: { connections: number } | { perSecond: number };
}

/** Instants are milliseconds since 1970, with fractions. */
export interface PostsResult {
  startedAt: number;
  /** Time at which the last one was answered. */
  answeredAt: number;
  /** Time at which each was sent; only if a rate was given. */
  sentAt: number[];
}
