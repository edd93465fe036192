import { channelSettings } from '@relata/channel';
import {
  databaseSettings,
  messagingSettings,
  rateLimitSetting,
  serviceSettings,
  integerSetting,
} from '@relata/runtime';
import { z } from 'zod';

const webAddress = { protocol: /^https?$/, error: 'must be an http(s) URL.' };

const orOff = (from: number, to: number) =>
  z
    .string()
    .regex(/^(off|[1-9]\d{0,11})$/, `must be a whole number from ${from} to ${to}, or off.`)
    .transform((text) => (text === 'off' ? null : Number(text)))
    .pipe(z.number().min(from).max(to).nullable());

export const settings = {
  ...serviceSettings,
  ...databaseSettings,
  ...messagingSettings,
  ...channelSettings,
  OPENAI_API_KEY: z.string().optional().meta({
    description: 'API key of the model; without it the built-in model answers from the knowledge base.',
    secret: true,
  }),
  OPENAI_BASE_URL: z
    .url(webAddress)
    .optional()
    .meta({
      description: 'Base URL of a server with the Chat Completions API; by default that of OpenAI.',
      examples: ['http://127.0.0.1:11434/v1'],
    }),
  CHAT_MODEL: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must have 1 to 200 printable characters.')
    .default('gpt-5.4-mini')
    .meta({ description: 'The model that answers if `OPENAI_API_KEY` is set.' }),
  CHAT_INSTRUCTIONS: z
    .string()
    .max(10_000)
    .optional()
    .meta({ description: 'Added to the instructions of the model: tone, names, topics to avoid.' }),
  KNOWLEDGE_DIR: z.string().optional().meta({
    description: 'Folder of Markdown files that the chat answers from; without it the chat knows nothing.',
  }),
  KNOWLEDGE_BASE_URL: z
    .url(webAddress)
    .optional()
    .meta({
      description: 'Base URL of the pages of `KNOWLEDGE_DIR` on the web; the path of a page without `.md` is appended.',
      examples: ['https://www.example.com/docs/'],
    }),
  CHAT_RATE_LIMIT: rateLimitSetting(
    '20/1m',
    'Chat requests of one client IP, over all replicas; votes on answers have a separate limit of the same ' +
      'size. `off` for no limit.',
  ),
  DEMO_RATE_LIMIT: rateLimitSetting('5/1m', 'Demo requests of one client IP, over all replicas; `off` for no limit.'),
  CHAT_STREAMS_PER_IP: orOff(1, 10_000).optional().meta({
    description:
      'Maximum number of concurrent answers per client IP and process. Defaults to the number in `CHAT_RATE_LIMIT`.',
  }),
  CHAT_STREAMS_MAX: integerSetting(
    1,
    100_000,
    1_000,
    'Maximum open answers per process; further requests get 503. The visitors of one organization get at most half.',
  ),
  CHAT_DAILY_TOKENS: orOff(1_000, 1e12).default(2_000_000).meta({
    description: 'Tokens of the model per day (UTC) for one organization. Beyond it, the built-in model answers.',
  }),
  CHAT_DAILY_TOKENS_PER_IP: orOff(1_000, 1e12)
    .optional()
    .meta({
      description:
        'Tokens of the model per day (UTC) for one client IP. Beyond it, the built-in model answers. By default a ' +
        'tenth of `CHAT_DAILY_TOKENS`.',
    }),
  CHAT_OUTPUT_TOKENS: integerSetting(50, 32_000, 1_000, 'Maximum tokens per answer.'),
  CHAT_FIRST_TOKEN_MS: integerSetting(
    100,
    120_000,
    10_000,
    'Time limit for the first token of the model. Beyond it, the built-in model answers.',
  ),
  CHAT_STALL_MS: integerSetting(100, 120_000, 15_000, 'An answer is cut off after this time without a new token.'),
  CHAT_DEADLINE_MS: integerSetting(1_000, 600_000, 60_000, 'Time limit of an answer, after which it is cut off.'),
};
