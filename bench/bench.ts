export interface BenchOptions {
  /** True for short rounds, to try things out. Their figures are not for publication. */
  isQuick: boolean;
  /** Name of a workload to profile instead of measuring. */
  profile: string | undefined;
  /** The folder of another checkout, for `before`. */
  before: string | undefined;
  /** Names of the workloads that `before`, `lists` or `trash` measures. Undefined for all of them. */
  only: readonly string[] | undefined;
  onProgress: (line: string) => void;
}

/** Runs a measurement; returns the result as Markdown, and as raw figures. */
export type Bench = (options: BenchOptions) => Promise<{ text: string; figures: object }>;
