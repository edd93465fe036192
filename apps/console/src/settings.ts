import { databaseSettings, messagingSettings, serviceSettings } from '@relata/runtime';
import { z } from 'zod';

/** An address of which only scheme, host and port count. */
const origin = () =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http(s) URL.' })
    .refine((text) => new URL(text).pathname === '/' && !/[?#]/.test(text), 'must have no path.')
    .transform((text) => new URL(text).origin);

export const settings = {
  ...serviceSettings,
  ...databaseSettings,
  ...messagingSettings,
  CONSOLE_URL: origin()
    .optional()
    .meta({
      description:
        'Where people open the console: scheme, host and port. Requests by another host name are refused. Unless given, ' +
        'the console is at whatever host it was asked by.',
      examples: ['https://crm.example.com'],
    }),
  PUBLIC_URL: origin()
    .optional()
    .meta({
      description:
        'Where the API, triggers and the chat are, as the console shows it; where the console is, unless given.',
      examples: ['https://api.example.com'],
    }),
};
