/** Posts of leads, each with a number of its own. */
export interface PostsJob {
  url: string;
  path: string;
  headers: Record<string, string>;
  /** The number of the first one. */
  from: number;
  count: number;
  /**
   * Either as fast as posts are accepted over so many connections, or so many a second on average, at random instants.
   */
  rate: { connections: number } | { perSecond: number };
}

/** Instants are milliseconds since 1970, with fractions. */
export interface PostsResult {
  startedAt: number;
  /** When the last one was answered. */
  answeredAt: number;
  /** When each was sent; only where a rate was given. */
  sentAt: number[];
}
