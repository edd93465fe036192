interface BenchOptions {
  /** Short rounds: for trying things, not for figures to publish. */
  isQuick: boolean;
  /** Instead of measuring: where this one workload spends its time. */
  profile: string | undefined;
  onProgress: (line: string) => void;
}

/** Measures something; returns it as Markdown, and as raw figures. */
export type Bench = (options: BenchOptions) => Promise<{ text: string; figures: object }>;
