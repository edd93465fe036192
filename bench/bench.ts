export interface BenchOptions {
  /** Short rounds: for trying things, not for figures to publish. */
  isQuick: boolean;
  /** Names a workload to profile instead of measuring. */
  profile: string | undefined;
  /** The folder of another checkout, for `before`. */
  before: string | undefined;
  /** Names of what `before` or `lists` measures; everything unless given. */
  only: readonly string[] | undefined;
  onProgress: (line: string) => void;
}

/** Measures something; returns it as Markdown, and as raw figures. */
export type Bench = (options: BenchOptions) => Promise<{ text: string; figures: object }>;
