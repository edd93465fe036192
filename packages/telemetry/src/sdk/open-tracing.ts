import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TelemetryOptions, Tracing } from '../tracing.ts';
import { createExporter } from './exporter.ts';
import { ChosenIds, SdkTracing } from './sdk-tracing.ts';

/** Maximum number of spans waiting to be sent; more are dropped. Each takes one or two KB. */
const waitingMax = 2_048;
const batchMax = 512;
const sendEveryMs = 2_000;

/** Time after which a request to the collector is aborted and its spans are lost. */
const exportTimeoutMs = 11_000;

/** Time for sending the last spans while a process stops. */
const flushMs = 1_500;

/** Maximum length of an attribute, in characters; longer values are cut. */
const attributeCharactersMax = 256;

type OnOptions = TelemetryOptions & { endpoint: string };

/** Opens the SDK for our own code only: no other library in the process begins spans with it. */
export function openTracing(options: OnOptions): { tracing: Tracing; close(): Promise<void> } {
  const ids = new ChosenIds();
  const provider = new TracerProvider({
    idGenerator: ids,
    resource: resourceOf(options),
    sampler: createSampler(options.sampler),
    spanLimits: { attributeValueLengthLimit: attributeCharactersMax, linkCountLimit: 128 },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: createExporter(options.endpoint, options.onProblem),
        maxQueueSize: waitingMax,
        maxExportBatchSize: batchMax,
        scheduledDelayMillis: sendEveryMs,
        exportTimeoutMillis: exportTimeoutMs,
      }),
    ],
  });
  const tracing = new SdkTracing(provider.getTracer('relata', options.service.version), ids, options.continuesTraces);
  const close = async () => {
    const flushed = provider.shutdown().catch(() => undefined);
    await Promise.race([flushed, pause(flushMs, undefined, { ref: false })]);
  };
  return { tracing, close };
}

/** Returns the resource attributes. `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME` take precedence over ours. */
function resourceOf({ service }: TelemetryOptions) {
  const own = resourceFromAttributes({
    'service.name': service.name,
    'service.namespace': 'relata',
    'service.version': service.version,
    'service.instance.id': randomUUID(),
  });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}

/** Creates the sampler that `OTEL_TRACES_SAMPLER` names. A parent-based sampler follows the decision of the parent. */
function createSampler({ name, ratio }: TelemetryOptions['sampler']): Sampler {
  const root = rootOf(name, ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootOf(name: string, ratio: number): Sampler {
  if (name.endsWith('traceidratio')) return new TraceIdRatioBasedSampler(ratio);
  return name.endsWith('always_off') ? new AlwaysOffSampler() : new AlwaysOnSampler();
}
