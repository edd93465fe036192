import { defineUnknown, type EvaluationContext } from '@relata/expressions';

interface Simulated {
  inputs: Record<string, unknown>;
  payload: unknown;
  delivery: { id: string; received_at: string; headers: Record<string, string>; replay: number };
  trigger: { id: string; name: string };
  workflow: { id: string; name: string; version: number };
  /** Undefined for a run that does not exist yet. */
  run?: { id: string; created_at: string };
}

/** Returns the values that the expressions of a run can read, whether or not the run exists yet. */
export function simulatedContext({ run, ...known }: Simulated): EvaluationContext {
  const unknownRun = {};
  for (const name of ['id', 'created_at']) defineUnknown(unknownRun, name);
  return { ...known, run: run ?? unknownRun, steps: {} };
}
