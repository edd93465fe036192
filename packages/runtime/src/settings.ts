import { z } from 'zod';

/** Settings of an app: each a zod schema that reads one environment variable, described by its metadata. */
export type SettingsShape = Record<string, z.ZodType>;

export type Settings<Shape extends SettingsShape> = { [Name in keyof Shape]: z.output<Shape[Name]> };

/** All problems of the environment at once, so that an operator mends them in one go. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/** Reads the settings from the environment; an empty variable counts as unset. */
export function readSettings<Shape extends SettingsShape>(
  shape: Shape,
  environment: NodeJS.ProcessEnv = process.env,
): Settings<Shape> {
  const given = Object.fromEntries(Object.keys(shape).map((name) => [name, environment[name] || undefined]));
  const parsed = z.object(shape).safeParse(given);
  if (parsed.success) return parsed.data as Settings<Shape>;
  const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${reason(issue, given)}`);
  throw new SettingsError(`These settings are wrong:\n${lines.join('\n')}`);
}

function reason(issue: z.core.$ZodIssue, given: Record<string, unknown>): string {
  return given[String(issue.path[0])] === undefined ? 'is required.' : issue.message;
}

/** A duration in words: `250ms`, `30s`, `1m`, `2h`, `7d`; read as milliseconds. */
export function parseDurationMs(text: string): number | undefined {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  if (!match) return undefined;
  return Number(match[1]) * unitMs[match[2] as keyof typeof unitMs];
}

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** So many points in each window; `null` where a limit is switched off. */
export type RateLimit = { points: number; windowMs: number } | null;

/** A rate limit as `6000/1m`, or `off`. */
export const rateLimitSetting = (fallback: string, description: string) =>
  z
    .string()
    .default(fallback)
    .transform((text, ctx): RateLimit => {
      if (text === 'off') return null;
      const [points, window] = text.split('/');
      const windowMs = parseDurationMs(window ?? '');
      if (/^[1-9]\d{0,9}$/.test(points ?? '') && windowMs) return { points: Number(points), windowMs };
      ctx.issues.push({ code: 'custom', message: 'must be like 6000/1m, or off.', input: text });
      return z.NEVER;
    })
    .meta({ description });

const port = (fallback: number, description: string) =>
  z.coerce.number().int().min(0).max(65_535).default(fallback).meta({ description });

const milliseconds = (fallback: number, description: string) =>
  z.coerce.number().int().min(1).max(3_600_000).default(fallback).meta({ description });

/** What every serving app is told. */
export const serviceSettings = {
  HOST: z.string().default('127.0.0.1').meta({ description: 'Address to listen on; `0.0.0.0` in a container.' }),
  PORT: port(8080, 'Port of the API; 0 takes a free one.'),
  METRICS_PORT: port(9464, 'Port of `/metrics`; 0 takes a free one.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .meta({ description: 'Least level that is logged.' }),
  NODE_ENV: z
    .enum(['production', 'development', 'test'])
    .default('production')
    .meta({ description: 'Outside of production every answer is checked against its schema.' }),
  STOP_DRAIN_MS: milliseconds(
    500,
    'On SIGTERM: how long new connections are still served, so that a balancer notices.',
  ),
  STOP_TIMEOUT_MS: milliseconds(8_000, 'On SIGTERM: after this long the process ends whatever it is doing.'),
};

/** How to reach PostgreSQL. */
export const databaseSettings = {
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL.' }).meta({
    description: 'PostgreSQL, 15 or newer.',
    secret: true,
    examples: ['postgres://relata:…@127.0.0.1/relata'],
  }),
  DATABASE_POOL_MAX: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(10)
    .meta({ description: 'Most connections of one process.' }),
  DATABASE_STATEMENT_TIMEOUT_MS: milliseconds(10_000, 'A statement is cancelled after this long.'),
  DATABASE_CONNECT_TIMEOUT_MS: milliseconds(3_000, 'Longest wait for a connection; then 503.'),
};

/** How to reach NATS. */
export const messagingSettings = {
  NATS_URL: z
    .string()
    .default('nats://127.0.0.1:4222')
    .meta({ description: 'NATS with JetStream; several servers separated by commas.', secret: true }),
  NATS_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,50}$/, 'must have 1 to 50 letters, digits, - or _.')
    .default('relata')
    .meta({ description: 'What subjects and streams begin with: another one for each installation on one NATS.' }),
};
