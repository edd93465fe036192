/** Durations of the measurements, and numbers of posts. */
export const fullPlan = {
  rounds: 3,
  /** Warm-up before the first round of each kind, so that all code is compiled. */
  firstWarmUpMs: 3_000,
  warmUpMs: 1_000,
  durationMs: 4_000,
  /** Number of posts per round that are sent at random instants. */
  pacedPosts: 1_500,
  warmUpPosts: 5_000,
  /** Number of posts per round that are sent as fast as they are accepted. */
  burstPosts: 20_000,
  /** Number of posts per round while the worker is stopped, and again while it is busy. */
  besidePosts: 10_000,
  /** Number of deliveries, and of runs with their journals, that are already stored. */
  oldDeliveries: 10_000_000,
};

export type IngestPlan = typeof fullPlan;

export const quickPlan: IngestPlan = {
  rounds: 3,
  firstWarmUpMs: 1_500,
  warmUpMs: 300,
  durationMs: 800,
  pacedPosts: 200,
  warmUpPosts: 2_000,
  burstPosts: 4_000,
  besidePosts: 3_000,
  oldDeliveries: 500_000,
};

export const postsPerSecond = 50;
export const connectionCounts = [64, 256] as const;
export const burstConnections = 64;
