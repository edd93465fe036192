import { channelSettings } from '@relata/channel';
import {
  databaseSettings,
  messagingSettings,
  rateLimitSetting,
  serviceSettings,
  wholeNumberSetting,
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
    description: 'Key of the model; without it a built-in model answers from the knowledge base alone.',
    secret: true,
  }),
  OPENAI_BASE_URL: z
    .url(webAddress)
    .optional()
    .meta({
      description: 'Address of a server that speaks Chat Completions; that of OpenAI unless given.',
      examples: ['http://127.0.0.1:11434/v1'],
    }),
  CHAT_MODEL: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must have 1 to 200 printable characters.')
    .default('gpt-5.4-mini')
    .meta({ description: 'The model that answers, where `OPENAI_API_KEY` is set.' }),
  CHAT_INSTRUCTIONS: z
    .string()
    .max(10_000)
    .optional()
    .meta({ description: 'What the model is told beside how to answer: tone, names, what not to speak of.' }),
  KNOWLEDGE_DIR: z.string().optional().meta({
    description: 'Folder of Markdown files that the chat answers from; without it there is nothing that it knows.',
  }),
  KNOWLEDGE_BASE_URL: z
    .url(webAddress)
    .optional()
    .meta({
      description: 'Where the pages of `KNOWLEDGE_DIR` are on the web: a path is put after it, without `.md`.',
      examples: ['https://www.example.com/docs/'],
    }),
  CHAT_RATE_LIMIT: rateLimitSetting(
    '20/1m',
    'Chats for one client IP, over all replicas, and as many votes on answers; `off` for none.',
  ),
  DEMO_RATE_LIMIT: rateLimitSetting('5/1m', 'Demo requests for one client IP, over all replicas; `off` for none.'),
  CHAT_STREAMS_PER_IP: orOff(1, 10_000).optional().meta({
    description:
      'Answers that one client IP may be given at once by one process; as many as `CHAT_RATE_LIMIT` lets through in a window unless given.',
  }),
  CHAT_STREAMS_MAX: wholeNumberSetting(
    1,
    100_000,
    1_000,
    'Answers that one process gives at once, to the visitors of one organization at most half of them; then 503.',
  ),
  CHAT_DAILY_TOKENS: orOff(1_000, 1e12)
    .default(2_000_000)
    .meta({ description: 'Tokens of the model in a day (UTC) for one organization; then the built-in model answers.' }),
  CHAT_DAILY_TOKENS_PER_IP: orOff(1_000, 1e12).optional().meta({
    description:
      'Of these, what one client IP may use; then the built-in model answers it. A tenth of `CHAT_DAILY_TOKENS` unless given.',
  }),
  CHAT_OUTPUT_TOKENS: wholeNumberSetting(50, 32_000, 1_000, 'Maximum tokens per answer.'),
  CHAT_FIRST_TOKEN_MS: wholeNumberSetting(
    100,
    120_000,
    10_000,
    'A model that is silent for so long is given up for the built-in.',
  ),
  CHAT_STALL_MS: wholeNumberSetting(100, 120_000, 15_000, 'An answer in which nothing comes for so long is cut off.'),
  CHAT_DEADLINE_MS: wholeNumberSetting(
    1_000,
    600_000,
    60_000,
    'An answer that takes so long is cut off, whatever holds it up.',
  ),
};
