export interface BenchOptions {
  /** True for short trial rounds. Do not publish their figures. */
  isQuick: boolean;
  /** Name of a workload to profile instead of measuring. */
  profile: string | undefined;
  /** Folder of the checkout that `before` compares this one with. */
  before: string | undefined;
  /** Ends the servers and processes that a bench starts. */
  stack: AsyncDisposableStack;
  /** Names of the workloads that `before`, `lists` or `trash` measures. Undefined for all of them. */
  only: readonly string[] | undefined;
}

/** A measurement. It returns its result as Markdown and as raw figures. */
export type Bench = (options: BenchOptions) => Promise<{ text: string; figures: object }>;
