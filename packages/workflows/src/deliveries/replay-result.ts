import type { NotStarted } from './delivery-store.sql.ts';

/** Completed steps of a workflow that a replay runs again. `each.contact` is the step `contact` of the loop `each`. */
export interface RepeatedSteps {
  workflow_id: string;
  workflow: string;
  steps: string[];
}

export interface Replay {
  id: string;
  org_id: string;
  trigger_id: string;
  /** The ids of the new runs. */
  runs: string[];
  skipped: NotStarted[];
  /** Steps of the started workflows that earlier runs of the delivery completed and that run again. */
  repeated: RepeatedSteps[];
}

/** A replay with the name of its trigger. */
export type NamedReplay = Replay & { trigger: string };
