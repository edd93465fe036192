import { defineUnknown, type EvaluationContext } from '@relata/expressions';

type Judged = Omit<EvaluationContext, 'run' | 'steps'> & {
  /** Undefined for a run that does not exist yet. */
  run?: object;
};

/** Returns the values that the expressions of a run can read, before or after it exists. */
export function judgedContext({ run, ...known }: Judged): EvaluationContext {
  const unknownRun = {};
  for (const name of ['id', 'created_at']) defineUnknown(unknownRun, name);
  return { ...known, run: run ?? unknownRun, steps: {} };
}
