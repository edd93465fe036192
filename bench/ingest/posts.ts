export interface PostsJob {
  url: string;
  path: string;
  headers: Record<string, string>;
  from: number;
  count: number;
  /** Either as fast as possible over some connections, or `perSecond` posts on average at random instants. */
  rate: { connections: number } | { perSecond: number };
}

/** Instants are milliseconds since 1970, with fractions. */
export interface PostsResult {
  startedAt: number;
  answeredAt: number;
  /** Time at which each post was sent. Empty if the posts were sent as fast as possible. */
  sentAt: number[];
}
