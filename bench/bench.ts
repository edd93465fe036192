export interface BenchOptions {
  /** Short rounds: for trying things, not for figures to publish. */
  isQuick: boolean;
  /** Name of a workload to profile instead of measuring. */
  profile: string | undefined;
  /** The folder of another checkout, for `before`. */
  before: string | undefined;
  /** Names of what `before` or `lists` measures; by default everything. */
  only: readonly string[] | undefined;
  onProgress: (line: string) => void;
}

/** Runs a measurement; returns the result as Markdown, and as raw figures. */
export type Bench = (options: BenchOptions) => Promise<{ text: string; figures: object }>;
