import { parseDurationMs } from '@relata/runtime';
import { instant } from '@relata/schemas';
import { delayMaxMs, type StepUseOf } from '@relata/workflows/execution';
import { invalidInput } from '../../steps/step.error.ts';
import type { Ending, Visited } from '../execution.ts';
import { isPassing } from '../interruption.ts';
import { toJsonText } from '../json-text.ts';
import type { Pass } from './pass.ts';
import { traceStep } from '../run-trace.ts';
import { isSkipped, type VisitOf } from '../visit.ts';

/** After so long by the database's clock, or at an instant. */
type WakeTime = { wakeInMs: number } | { wakeAt: string };

/** Lets the run wait for its time, or go on once that has come: both by the database's clock. */
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
      input: toJsonText(input),
      ...wakeTimeOf[step.use](input),
    } as const;
    return await traceStep(pass.at.trace, visit, () => pass.wait(visit, waiting));
  } catch (error) {
    if (isPassing(error)) throw error;
    return pass.fail(visit, error);
  }
}

/** A run can be claimed for another reason before its time: it goes back to wait for it. */
async function wake(pass: Pass, visit: VisitOf<'timer'>, wakeAt: string): Promise<Visited | Ending> {
  const { claimed_at: now } = pass.at.run;
  if (wakeAt > now) return pass.wait(visit, { status: 'waiting', attempts: 1, wakeAt });
  const output = { woke_at: now };
  return pass.settle(visit, { status: 'succeeded', attempts: 1 }, output);
}

/** When each kind of timer ends; a kind without an implementation does not compile. */
const wakeTimeOf = { delay: readDelay } satisfies Record<
  StepUseOf<'timer'>,
  (input: Record<string, unknown>) => WakeTime
>;

function readDelay(input: Record<string, unknown>): WakeTime {
  if (input['until'] !== undefined) return { wakeAt: readInstant(input['until']) };
  const ms = parseDurationMs(String(input['for']));
  if (ms === undefined) throw invalidInput('for', 'Must be a duration like 250ms, 10s, 5m, 2h or 7d.');
  if (ms > delayMaxMs) throw invalidInput('for', 'Must be at most 365d.');
  return { wakeInMs: ms };
}

function readInstant(value: unknown): string {
  const parsed = instant().safeParse(value);
  if (!parsed.success) throw invalidInput('until', 'Must be a date and time with a zone.');
  if (Date.parse(parsed.data) > Date.now() + delayMaxMs) throw invalidInput('until', 'Must be within 365 days.');
  return parsed.data;
}
