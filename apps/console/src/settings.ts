import {
  consoleSettings,
  databaseSettings,
  messagingSettings,
  parseDurationMs,
  publicSettings,
  serviceSettings,
  trashSettings,
} from '@relata/runtime';
import { notifySettings, signingSettings } from '@relata/secrets/settings';
import { z } from 'zod';

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
  ...notifySettings,
  ...consoleSettings,
  ...publicSettings,
  ...trashSettings,
  SESSION_IDLE: duration('7d', 'Time without use after which a session of the console ends.'),
  SESSION_MAX: duration('30d', 'Time after which a session of the console ends, even if it is used.'),
};
