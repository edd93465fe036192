import { samplerNames } from '@relata/telemetry';
import { z } from 'zod';

const pairs = z
  .string()
  .regex(/^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$/, 'must be like name=value,other=value.')
  .optional();

/** Settings of traces, with the standard's own variables; the SDK reads headers, timeouts and attributes itself. */
export const telemetrySettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL.' })
    .optional()
    .meta({
      description:
        'A collector that takes OTLP over HTTP: traces are posted to `/v1/traces` below it. Off, and without any cost, unless given.',
      examples: ['http://otel-collector:4318'],
    }),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.meta({
    description: 'What the collector asks for in headers: `name=value` separated by commas, percent-encoded.',
    secret: true,
    examples: ['authorization=Bearer%20…'],
  }),
  OTEL_EXPORTER_OTLP_TIMEOUT: z.coerce
    .number()
    .int()
    .min(100)
    .max(10_000)
    .default(10_000)
    .meta({ description: 'Milliseconds that the collector may take; then what was sent is lost, and nothing else.' }),
  OTEL_RESOURCE_ATTRIBUTES: pairs.meta({
    description: 'Said of every trace beside the name and the version of the app.',
    examples: ['deployment.environment.name=production'],
  }),
  OTEL_TRACES_SAMPLER: z.enum(samplerNames).default('parentbased_always_on').meta({
    description: 'Which traces are kept; `parentbased_traceidratio` keeps a share of them, the same in every app.',
  }),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .meta({ description: 'The share that a sampler by `traceidratio` keeps, from 0 to 1.' }),
  TRACEPARENT_IN: z.enum(['link', 'continue']).default('link').meta({
    description:
      'A `traceparent` that comes with a request: `link` begins a trace that names it. `continue` goes on with it, and lets the sender decide what is kept: use it only where a proxy sets or removes the header.',
  }),
};
