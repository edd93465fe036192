export interface Pace {
  rounds: number;
  /** Duration of the warm-up before the first round of a workload, so that all code is compiled. */
  firstWarmUpMs: number;
  warmUpMs: number;
  durationMs: number;
}

export const fullPace: Pace = { rounds: 3, firstWarmUpMs: 2_000, warmUpMs: 1_000, durationMs: 4_000 };
export const quickPace: Pace = { rounds: 3, firstWarmUpMs: 800, warmUpMs: 200, durationMs: 600 };

export const connections = 32;
