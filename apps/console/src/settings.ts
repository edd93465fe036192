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
        'Address at which people open the console: scheme, host and port. Requests with another host name ' +
        'are refused. Without it, any host name is accepted.',
      examples: ['https://crm.example.com'],
    }),
  SESSION_IDLE: duration('7d', 'Time without use after which a session of the console ends.'),
  SESSION_MAX: duration('30d', 'Time after which a session of the console ends, even if it is used.'),
  PUBLIC_URL: origin()
    .optional()
    .meta({
      description:
        'Address of the API, triggers and chat, as shown in the console; by default the address of the console.',
      examples: ['https://api.example.com'],
    }),
};
