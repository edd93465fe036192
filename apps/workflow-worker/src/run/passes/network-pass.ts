import { storableJson } from '@relata/expressions';
import type { Turns } from '@relata/runtime';
import {
  type ClaimedRun,
  type CompiledStep,
  failuresMax,
  redactHeaders,
  type StepError,
} from '@relata/workflows/execution';
import { callStep } from '../../steps/network-call.ts';
import type { NetworkCall } from '../../steps/network-steps.ts';
import { explainStepError } from '../../steps/step.error.ts';
import type { Ending } from '../ending.ts';
import type { Execution } from '../execution-context.ts';
import { Interrupted, endsPass } from '../interruption.ts';
import type { Pass } from './pass.ts';
import { requireStorable } from '../run-journal.ts';
import { callTraceparent, traceStep } from '../run-trace.ts';
import { isSkipped, type Visit, type Visited, type VisitOf } from '../visit.ts';

/**
 * Makes one attempt at a step that calls another system. After a transient failure, the run waits for the next attempt.
 */
export async function executeCall(pass: Pass, visit: VisitOf<'network'>): Promise<Visited | Ending> {
  const { step, context, known } = visit;
  // An interrupted attempt is repeated with the same number.
  const attempts = (known?.attempts ?? 0) + (known?.status === 'running' ? 0 : 1);
  const startedAt = new Date();
  try {
    if (isSkipped(visit)) return pass.skip(visit);
    const input = step.with(context);
    await waitToCall(pass.execution);
    await pass.attempt(visit, { status: 'running', attempts, input: storableJson(redactHeaders(step.use, input)) });
    using slot = new DisposableStack();
    const { largeResponses, run, signal } = pass.execution;
    const beforeLarge = async () => void slot.use(await largeResponses.hold([run.org_id], { signal, restTimes: 1 }));
    const make = () => call(pass, visit, { input, beforeLarge });
    const output = await traceStep(pass.execution.trace, visit, make, attempts);
    const text = storableJson(output);
    requireStorable(text);
    const next = pass.settle(visit, { status: 'succeeded', attempts }, output, text);
    pass.execution.metrics.stepDone(step.use, 'succeeded', secondsSince(startedAt));
    return await pass.write(next);
  } catch (error) {
    if (endsPass(error)) throw error;
    return handleFailure(pass, visit, { error, attempts, startedAt });
  }
}

/**
 * Minimum interval between the starts of two calls of an organization, in milliseconds. A call and its response keep a
 * worker busy for some milliseconds, so this interval allows an organization about half of the worker's capacity.
 */
const callEveryMs = 5;

interface CallStart extends Pick<Execution, 'startingCalls' | 'signal'> {
  turns: Pick<Turns, 'isShared'>;
  run: Pick<ClaimedRun, 'org_id'>;
}

/**
 * Waits until the organization may begin a call. While other organizations have runs, too, it may begin one call every
 * five milliseconds in this worker. A hundred calls that begin at the same time, or a hundred large responses, would
 * occupy all cores until they end.
 */
export async function waitToCall({ turns, startingCalls, run, signal }: CallStart): Promise<void> {
  if (!turns.isShared) return;
  const party = [run.org_id];
  try {
    await startingCalls.acquire(party, signal);
  } catch {
    throw new Interrupted();
  }
  setTimeout(() => startingCalls.release(party), callEveryMs).unref();
}

type Call = Pick<NetworkCall, 'input' | 'beforeLarge'>;

async function call({ execution }: Pass, { step, path, context }: VisitOf<'network'>, made: Call): Promise<unknown> {
  const { signal, run, reach, slot } = execution;
  try {
    slot.leave();
    const idempotencyKey = `${run.id}:${path}`;
    const traceparent = callTraceparent(run);
    const given = {
      ...made,
      orgId: run.org_id,
      context,
      idempotencyKey,
      timeoutMs: step.timeoutMs,
      signal,
      traceparent,
    };
    return await callStep(reach, step, given);
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

async function handleFailure(
  pass: Pass,
  visit: Visit,
  { error, attempts, startedAt }: Tried,
): Promise<Visited | Ending> {
  const { step, known } = visit;
  const { error: explained, isRetryable, retryAfterMs } = explainStepError(error);
  const failures = [...(known?.failures ?? []), failureOf(attempts, startedAt, explained)].slice(-failuresMax);
  if (!isRetryable || attempts >= step.retry.maxAttempts)
    return pass.write(pass.fail(visit, error, { attempts, failures }));
  pass.execution.metrics.stepDone(step.use, 'waiting', secondsSince(startedAt));
  const wakeInMs = retryDelayMs(step.retry, attempts, retryAfterMs);
  return pass.wait(visit, { status: 'waiting', attempts, failures, error: explained, wakeInMs });
}

function failureOf(attempt: number, startedAt: Date, error: StepError) {
  return { attempt, started_at: startedAt.toISOString(), finished_at: new Date().toISOString(), error };
}

function secondsSince(startedAt: Date): number {
  return (Date.now() - startedAt.getTime()) / 1_000;
}

/**
 * Returns the delay before the next attempt, which is at least the delay that the other system asked for. Exponential
 * backoff with full jitter spreads the retries of calls that failed at the same time.
 */
function retryDelayMs(
  { initialDelayMs, maxDelayMs }: CompiledStep['retry'],
  attempts: number,
  retryAfterMs = 0,
): number {
  const most = Math.min(maxDelayMs, initialDelayMs * 2 ** (attempts - 1));
  return Math.max(Math.round(Math.random() * most), retryAfterMs);
}
