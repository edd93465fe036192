import { z } from 'zod';
import { telemetrySettings } from './telemetry.settings.ts';
import { integerSetting } from './integer-setting.ts';

/** Settings of an app: zod schemas that each read one environment variable, described by their metadata. */
export type SettingsShape = Record<string, z.ZodType>;

export type Settings<Shape extends SettingsShape> = { [Name in keyof Shape]: z.output<Shape[Name]> };

/** An error that lists all problems of the environment, so that an operator can fix them together. */
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

/** Returns a duration such as `250ms`, `30s`, `1m`, `2h` or `7d` in milliseconds; undefined if it is malformed. */
export function parseDurationMs(text: string): number | undefined {
  const match = /^(\d{1,11})(ms|s|m|h|d)$/.exec(text);
  if (!match) return undefined;
  return Number(match[1]) * unitMs[match[2] as keyof typeof unitMs];
}

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Points per window; `null` if a limit is disabled. */
export type RateLimit = { points: number; windowMs: number } | null;

/** Node's timers fire at once if they are set for longer than 2^31 - 1 ms, which is 24.8 days. */
const windowMsMax = 24 * unitMs.d;
const windowTooLong = 'must have a window of at most 24d.';

/** Declares a rate limit such as `6000/1m`, or `off`. */
export const rateLimitSetting = (fallback: string, description: string) =>
  z
    .string()
    .default(fallback)
    .transform((text, ctx): RateLimit => {
      if (text === 'off') return null;
      const [, points, window] = /^([1-9]\d{0,9})\/(\w+)$/.exec(text) ?? [];
      const windowMs = parseDurationMs(window ?? '');
      const isWindow = windowMs !== undefined && windowMs > 0;
      if (isWindow && windowMs <= windowMsMax) return { points: Number(points), windowMs };
      const message = isWindow && windowMs > windowMsMax ? windowTooLong : 'must be like 6000/1m, or off.';
      ctx.issues.push({ code: 'custom', message, input: text });
      return z.NEVER;
    })
    .meta({ description });

const port = (fallback: number, description: string) => integerSetting(0, 65_535, fallback, description);

const milliseconds = (fallback: number, description: string) => integerSetting(1, 3_600_000, fallback, description);

/** Settings of every app that serves requests. */
export const serviceSettings = {
  HOST: z.string().default('127.0.0.1').meta({ description: 'Address to listen on; `0.0.0.0` in a container.' }),
  PORT: port(8080, 'Port of the API; 0 for any free port.'),
  METRICS_PORT: port(9464, 'Port of `/metrics`; 0 for any free port.'),
  TRUST_PROXY: integerSetting(
    0,
    32,
    0,
    'Number of proxies in front of the app. Each one appends to `X-Forwarded-For`, and the client IP is read from this header.',
  ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .meta({ description: 'Minimum level that is logged.' }),
  NODE_ENV: z
    .enum(['production', 'development', 'test'])
    .default('production')
    .meta({ description: 'Outside `production`, every answer is checked against its schema.' }),
  STOP_DRAIN_MS: milliseconds(
    500,
    'Time after SIGTERM in which new connections are still served, until the load balancer has noticed.',
  ),
  STOP_TIMEOUT_MS: milliseconds(8_000, 'Time after SIGTERM at which the process exits, even if work is unfinished.'),
  ...telemetrySettings,
};

const postgresUrl = { protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL.' };

export const databaseSettings = {
  DATABASE_URL: z.url(postgresUrl).meta({
    description: 'PostgreSQL 15 or newer. The role does not have to own the tables.',
    secret: true,
    examples: ['postgres://relata_app:…@127.0.0.1/relata'],
  }),
  DATABASE_POOL_MAX: integerSetting(
    1,
    200,
    20,
    'Maximum connections of one process; one organization gets at most half of them.',
  ),
  DATABASE_SCANS_MAX: integerSetting(
    1,
    200,
    4,
    'Filtered lists that one process reads at once; set it to about twice the cores of PostgreSQL. One ' +
      'organization gets at most half, and a quarter while another organization sends requests.',
  ),
  DATABASE_STATEMENT_TIMEOUT_MS: milliseconds(10_000, 'Time limit of a statement, after which it is cancelled.'),
  DATABASE_CONNECT_TIMEOUT_MS: milliseconds(3_000, 'Longest wait for a connection, after which the answer is 503.'),
};

/** Settings of `relata migrate` and `npm start` for updating the database. */
export const migrationSettings = {
  DATABASE_MIGRATION_URL: z
    .url(postgresUrl)
    .optional()
    .meta({
      description: 'URL of the same database with the role that owns the tables; by default `DATABASE_URL`.',
      secret: true,
      examples: ['postgres://relata:…@127.0.0.1/relata'],
    }),
  DATABASE_APP_ROLE: z.string().max(63).optional().meta({
    description: 'Role that receives the permissions of the apps; by default the role in `DATABASE_URL`.',
  }),
};

export const messagingSettings = {
  NATS_URL: z
    .string()
    .default('nats://127.0.0.1:4222')
    .meta({
      description:
        'NATS with JetStream. With a token: `nats://token@host`, or `tls://token@host` to require TLS. Several ' +
        'servers are separated by commas.',
      secret: true,
    }),
  NATS_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,50}$/, 'must have 1 to 50 letters, digits, - or _.')
    .default('relata')
    .meta({
      description: 'Prefix of subjects and streams. Installations that share a NATS server need different prefixes.',
    }),
};

/** Reads a URL as an origin; it must have no path. */
export const originSetting = () =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http(s) URL.' })
    .refine((text) => (URL.parse(text)?.pathname ?? '/') === '/' && !/[?#]/.test(text), 'must have no path.')
    .transform((text) => new URL(text).origin);

/** Settings of the console, and of the app whose messages link to it. */
export const consoleSettings = {
  CONSOLE_URL: originSetting()
    .optional()
    .meta({
      description:
        'Address at which people open the console: scheme, host and port. The console refuses requests with another ' +
        "host name, and the worker's messages to the team link to this address. Without this setting, the console " +
        'accepts any host name, and messages have no links.',
      examples: ['https://crm.example.com'],
    }),
};

/** Settings of the console and of the command-line tool, which show addresses of the service. */
export const publicSettings = {
  PUBLIC_URL: originSetting()
    .optional()
    .meta({
      description:
        'Address of the API, triggers and chat, as shown in the console and by `relata`; by default `CONSOLE_URL`.',
      examples: ['https://api.example.com'],
    }),
};

/** Settings of the app that stores answers for idempotency keys, and of the app that deletes them. */
export const idempotencySettings = {
  IDEMPOTENCY_HOURS: integerSetting(
    0,
    720,
    24,
    'Hours for which a repeated write with the same `Idempotency-Key` only gets the first answer again.',
  ),
};

/** Settings of the apps that show when a deleted record will be removed for good, and of the app that removes it. */
export const trashSettings = {
  TRASH_DAYS: integerSetting(
    0,
    3_650,
    30,
    'Days for which deleted records can be restored; with 0, the next retention removes them. The records API, the ' +
      'console and the worker need the same value.',
  ),
};

/** Settings of the app that deletes old data, and of the diagnosis that checks whether it does. */
export const retentionSettings = {
  RETENTION_DAYS: integerSetting(1, 36_500, 30, 'Days until deliveries, and runs that have ended, are deleted.'),
  EVENT_DAYS: integerSetting(
    1,
    3_650,
    90,
    'Days until events (who changed what) are deleted. The last event of an organization is kept.',
  ),
};
