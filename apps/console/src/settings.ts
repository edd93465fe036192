import { databaseSettings, messagingSettings, parseDurationMs, serviceSettings } from '@relata/runtime';
import { signingSettings } from '@relata/secrets/settings';
import { z } from 'zod';

/** Reads a URL as an origin; it must have no path. */
const origin = () =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http(s) URL.' })
    .refine((text) => new URL(text).pathname === '/' && !/[?#]/.test(text), 'must have no path.')
    .transform((text) => new URL(text).origin);

const duration = (fallback: string, description: string) =>
  z
    .string()
    .default(fallback)
    .transform((text, ctx) => {
      const ms = parseDurationMs(text);
      if (ms !== undefined && ms >= 60_000 && ms <= 365 * 86_400_000) return ms;
      ctx.issues.push({ code: 'custom', message: 'must be like 7d or 12h, from 1m to 365d.', input: text });
      return z.NEVER;
    })
    .meta({ description });

export const settings = {
  ...serviceSettings,
  ...databaseSettings,
  ...messagingSettings,
  ...signingSettings,
  CONSOLE_URL: origin()
    .optional()
    .meta({
      description:
        'Where people open the console: scheme, host and port. Requests by another host name are refused. Without it ' +
        'requests by any host name are answered.',
      examples: ['https://crm.example.com'],
    }),
  SESSION_IDLE: duration('7d', 'A session of the console that is not used for so long ends.'),
  SESSION_MAX: duration('30d', 'A session of the console ends after so long, however much it is used.'),
  PUBLIC_URL: origin()
    .optional()
    .meta({
      description:
        'Where the API, triggers and the chat are, as the console shows it; where the console is, unless given.',
      examples: ['https://api.example.com'],
    }),
};
