import type { StepError } from '@relata/workflows';
import { networkSteps } from '../steps/network.steps.ts';
import { explainStepError, outputTooLarge } from '../steps/step.error.ts';
import type { Ending, Visited } from './execution.ts';
import { Interrupted, isPassing } from './interruption.ts';
import type { Pass } from './pass.ts';
import { retryDelayMs } from './retry-delay.ts';
import { isOutputTooLarge } from './run-journal.ts';
import type { Visit } from './visit.ts';

/** One attempt at a step that calls another system; where it fails of what may pass, the run waits for the next. */
export async function takeCall(pass: Pass, visit: Visit): Promise<Visited | Ending> {
  const { step, scope, known } = visit;
  // An attempt that was cut off is made again under its own number.
  const attempts = (known?.attempts ?? 0) + (known?.status === 'running' ? 0 : 1);
  const startedAt = new Date();
  try {
    if (step.when && !step.when(scope)) return pass.settle(visit, { status: 'skipped' }, null);
    const input = step.with(scope);
    await pass.attempt(visit, { status: 'running', attempts, input });
    const output = await call(pass, visit, input);
    pass.at.onStep(step.use, 'succeeded', secondsSince(startedAt));
    return await pass.write(pass.settle(visit, { status: 'succeeded', attempts, output }, output));
  } catch (error) {
    if (isPassing(error)) throw error;
    return takeFailure(pass, visit, { error, attempts, startedAt });
  }
}

async function call({ at }: Pass, { step, path }: Visit, input: Record<string, unknown>): Promise<unknown> {
  const { signal, run, reach } = at;
  try {
    const idempotencyKey = `${run.id}:${path}`;
    const output = await networkSteps[step.use]!(reach, { input, idempotencyKey, timeoutMs: step.timeoutMs, signal });
    if (isOutputTooLarge(output, false)) throw outputTooLarge();
    return output;
  } catch (error) {
    if (signal.aborted) throw new Interrupted();
    throw error;
  }
}

interface Tried {
  error: unknown;
  attempts: number;
  startedAt: Date;
}

async function takeFailure(pass: Pass, visit: Visit, { error, attempts, startedAt }: Tried): Promise<Visited | Ending> {
  const { step, known } = visit;
  const { error: told, isRetryable, retryAfterMs } = explainStepError(error);
  const failures = [...(known?.failures ?? []), failureOf(attempts, startedAt, told)];
  if (!isRetryable || attempts >= step.retry.maxAttempts)
    return pass.write(pass.fail(visit, error, { attempts, failures }));
  pass.at.onStep(step.use, 'waiting', secondsSince(startedAt));
  const wakeInMs = retryDelayMs(step.retry, attempts, retryAfterMs);
  return pass.wait(visit, { status: 'waiting', attempts, failures, error: told, wakeInMs });
}

function failureOf(attempt: number, startedAt: Date, error: StepError) {
  return { attempt, started_at: startedAt.toISOString(), finished_at: new Date().toISOString(), error };
}

function secondsSince(startedAt: Date): number {
  return (Date.now() - startedAt.getTime()) / 1_000;
}
