export const fullPlan = {
  rounds: 3,
  /** Duration of the warm-up before the first round of a workload, so that all code is compiled. */
  firstWarmUpMs: 2_000,
  warmUpMs: 1_000,
  durationMs: 4_000,
};

export type Plan = typeof fullPlan;

export const quickPlan: Plan = { rounds: 3, firstWarmUpMs: 800, warmUpMs: 200, durationMs: 600 };

export const connections = 32;
