import { samplerNames } from '@relata/telemetry';
import { z } from 'zod';
import { integerSetting } from './integer-setting.ts';

const pairs = z
  .string()
  .regex(/^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$/, 'must be like name=value,other=value.')
  .optional();

/**
 * Settings of tracing, mostly OpenTelemetry's standard variables. The SDK reads headers, timeouts and attributes
 * itself.
 */
export const telemetrySettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL.' })
    .optional()
    .meta({
      description:
        'Base URL of a collector for OTLP over HTTP; traces are posted to `/v1/traces` below it. Without it, ' +
        'tracing is disabled and costs nothing.',
      examples: ['http://otel-collector:4318'],
    }),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.meta({
    description: 'Headers for the collector: `name=value` separated by commas, percent-encoded.',
    secret: true,
    examples: ['authorization=Bearer%20…'],
  }),
  OTEL_EXPORTER_OTLP_TIMEOUT: integerSetting(
    100,
    10_000,
    10_000,
    'Time limit for the collector in milliseconds. If it is exceeded, only the traces that were being sent are lost.',
  ),
  OTEL_RESOURCE_ATTRIBUTES: pairs.meta({
    description: 'Attributes of every trace, besides the name and version of the app.',
    examples: ['deployment.environment.name=production'],
  }),
  OTEL_TRACES_SAMPLER: z.enum(samplerNames).default('parentbased_always_on').meta({
    description:
      'Sampler of traces; `parentbased_traceidratio` keeps a fraction of them. Set the same sampler in every app.',
  }),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^\s*\d+(\.\d+)?\s*$/, 'must be a number from 0 to 1, such as 0.05.')
    .transform(Number)
    .pipe(z.number().max(1))
    .default(1)
    .meta({ description: 'Fraction of traces that a `traceidratio` sampler keeps, from 0 to 1.' }),
  TRACEPARENT_IN: z
    .enum(['link', 'continue'])
    .default('link')
    .meta({
      description:
        'Handling of a received `traceparent`: `link` starts a new trace that links to it. `continue` ' +
        'continues the trace, and the sender decides if it is kept; use it only behind a proxy that sets or ' +
        'removes the header.',
    }),
};
