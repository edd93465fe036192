/** What the expressions of a run are evaluated on. The output of a step that was skipped or passed over is null. */
export interface EvaluationContext {
  inputs: object;
  steps: object;
  payload: unknown;
  delivery: object;
  trigger: object;
  workflow: object;
  run: object;
  /** Inside of a loop. */
  item?: unknown;
  index?: number;
  /** Values of the secrets that a step reads; where they are left out its texts that read them stand as written. */
  secrets?: Readonly<Record<string, string>>;
}
