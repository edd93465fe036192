import { createHash } from 'node:crypto';
import {
  continuesTraces,
  readTraceparent,
  type Trace,
  type TraceReference,
  type Tracing,
  tracing,
} from '@relata/telemetry';
import type { ClaimedRun } from '@relata/workflows/execution';
import type { Ending } from './ending.ts';
import type { Visit } from './visit.ts';

/**
 * Traces an execution. A run that waited for a timer or another attempt continues in the same trace, with a span that
 * is linked to that of the previous execution. Span ids are computed from the run's epoch, so none has to be stored.
 */
export function traceExecution(on: Tracing, run: ClaimedRun, execute: () => Promise<Ending>): Promise<Ending> {
  const { id, epoch } = run;
  const traceId = runTraceId(run);
  const before: TraceReference | undefined =
    epoch > 1 ? { traceId, spanId: spanIdOf(id, epoch - 1), isSampled: true } : undefined;
  const options = {
    kind: 'consumer',
    parent: parentOf(run),
    links: [before],
    spanId: spanIdOf(id, epoch),
    traceId,
    attributes: attributesOf(run),
  } as const;
  return on.span('execute run', options, async (trace) => {
    const ending = await execute();
    trace.set({ 'relata.run.ending': ending.kind === 'ended' ? ending.status : ending.kind });
    if (ending.kind === 'ended' && ending.status === 'failed') trace.fail('failed');
    return ending;
  });
}

/**
 * Returns the parent span of an execution; null if the execution begins a trace. An unsampled parent is used only if
 * callers are trusted: it may come from an app without a collector, or from a stranger, who must not decide what is
 * recorded here. If our own sampler skipped the request, a ratio-based sampler skips the run, too, since both have the
 * same trace id.
 */
function parentOf({ traceparent }: Pick<ClaimedRun, 'traceparent'>): TraceReference | null {
  const stored = readTraceparent(traceparent);
  return stored && (stored.isSampled || continuesTraces) ? stored : null;
}

/** Returns the trace id of a run: that of the request that created it, otherwise its own id without dashes. */
function runTraceId({ id, traceparent }: Pick<ClaimedRun, 'id' | 'traceparent'>): string {
  return readTraceparent(traceparent)?.traceId ?? id.replaceAll('-', '');
}

/**
 * Returns the `traceparent` header for calls of a run while telemetry is disabled; undefined unless callers are
 * trusted. The header tells the other system whether to record, and a stranger must not decide that.
 */
export function callTraceparent({ traceparent }: Pick<ClaimedRun, 'traceparent'>): string | undefined {
  return tracing === undefined && continuesTraces ? (traceparent ?? undefined) : undefined;
}

/** Returns the ids for every log line of a run. */
export function runLogIds(run: Pick<ClaimedRun, 'id' | 'traceparent'>) {
  return { run_id: run.id, trace_id: runTraceId(run) };
}

/** Returns the span id of an execution: 64 bits of a hash, as hex. */
function spanIdOf(runId: string, epoch: number): string {
  return createHash('sha256').update(`${runId}:${epoch}`).digest('hex').slice(0, 16);
}

function attributesOf(run: ClaimedRun) {
  return {
    'relata.org_id': run.org_id,
    'relata.run.id': run.id,
    'relata.run.epoch': run.epoch,
    'relata.run.replay': run.replay,
    'relata.workflow.id': run.workflow_id,
    'relata.workflow.version': run.version,
    'relata.trigger.id': run.trigger_id,
    'relata.delivery.id': run.delivery_id,
  };
}

/** Records a span for the work on a step, as part of its run. Runs that share a transaction have separate spans. */
export function traceStep<Result>(
  parent: Trace | undefined,
  { step, path }: Visit,
  work: () => Promise<Result>,
  attempt = 1,
): Promise<Result> {
  if (!tracing || !parent) return work();
  const attributes = { 'relata.step.path': path, 'relata.step.use': step.use, 'relata.step.attempt': attempt };
  return tracing.child(`step ${step.use}`, { parent, attributes }, work);
}
