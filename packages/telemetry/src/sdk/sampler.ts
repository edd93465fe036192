import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { TelemetryOptions } from '../tracing.ts';

/** Creates a sampler of `OTEL_TRACES_SAMPLER`; parent-based ones follow the decision of the parent. */
export function createSampler({ name, ratio }: TelemetryOptions['sampler']): Sampler {
  const root = rootOf(name, ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootOf(name: string, ratio: number): Sampler {
  if (name.endsWith('traceidratio')) return new TraceIdRatioBasedSampler(ratio);
  return name.endsWith('always_off') ? new AlwaysOffSampler() : new AlwaysOnSampler();
}
