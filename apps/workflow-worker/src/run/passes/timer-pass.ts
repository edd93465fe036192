import { storableJson } from '@relata/expressions';
import { timerInputs } from '@relata/workflows/execution';
import type { Ending } from '../ending.ts';
import { endsPass } from '../interruption.ts';
import type { Pass } from './pass.ts';
import { traceStep } from '../run-trace.ts';
import { isSkipped, type Visited, type VisitOf } from '../visit.ts';

/**
 * Makes the run wait until the time of the step, or continues the run if that time has passed, by the database's clock.
 */
export async function executeTimer(pass: Pass, visit: VisitOf<'timer'>): Promise<Visited | Ending> {
  const { known } = visit;
  if (known?.status === 'waiting' && known.wake_at !== null) return wake(pass, visit, known.wake_at);
  try {
    const { step, context } = visit;
    if (isSkipped(visit)) return pass.skip(visit);
    const input = step.with(context);
    const waiting = {
      status: 'waiting',
      attempts: 1,
      input: storableJson(input),
      ...timerInputs[step.use](input),
    } as const;
    return await traceStep(pass.execution.trace, visit, () => pass.wait(visit, waiting));
  } catch (error) {
    if (endsPass(error)) throw error;
    return pass.fail(visit, error);
  }
}

/** Continues after a timer. A run that was claimed before its time, for another reason, waits again. */
async function wake(pass: Pass, visit: VisitOf<'timer'>, wakeAt: string): Promise<Visited | Ending> {
  const { claimed_at: now } = pass.execution.run;
  if (wakeAt > now) return pass.wait(visit, { status: 'waiting', attempts: 1, wakeAt });
  const output = { woke_at: now };
  return pass.settle(visit, { status: 'succeeded', attempts: 1 }, output);
}
