/**
 * The values that the expressions of a run can read. The output of a step is null if the step was skipped, or if it
 * failed with `on_error: continue`.
 */
export interface EvaluationContext {
  inputs: object;
  steps: object;
  payload: unknown;
  delivery: object;
  trigger: object;
  workflow: object;
  run: object;
  /** Item of the enclosing loop; undefined outside loops. */
  item?: unknown;
  index?: number;
  /** Values of the secrets that a step reads. If omitted, strings that read secrets stay as written. */
  secrets?: Readonly<Record<string, string>>;
}
