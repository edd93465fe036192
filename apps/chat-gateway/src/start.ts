import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { configuredChannel, createChannel } from '@relata/channel';
import { ShutdownState, serve } from '@relata/http';
import type { Settings } from '@relata/runtime';
import type { ServiceContext, Started } from '@relata/service';
import { openBackends } from '@relata/service/backends';
import { createChatApp } from './app.ts';
import { finalWriteMs } from './chat/ending.ts';
import { openKnowledge } from '@relata/knowledge';
import type { settings } from './settings.ts';
import { readWidget } from './widget.route.ts';

/** Part of the stop timeout that is reserved for closing everything else after the last answer, in ms. */
const closingMs = 2_000;

/**
 * Share of an organization's daily tokens that one client may use. No visitor needs more, and it takes ten clients to
 * use up all tokens.
 */
const tokenShare = 0.1;

export async function start(context: ServiceContext<typeof settings>): Promise<Started> {
  const { settings: given, stack, log } = context;
  // Open answers live so long that their objects reach the old generation. With a growth of 40 % instead of 300 %,
  // 1,000 tokens cost 16 to 48 % more CPU time (decision 46).
  setFlagsFromString('--heap-growing-percent=300');
  // Disables the SDK's warnings, which would go to standard output, between the lines of the log.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  for (const line of warningsOf(given)) log.warn(line);
  const channel = configuredChannel(given);
  const knowledge = await openKnowledge({ dir: given.KNOWLEDGE_DIR, baseUrl: knowledgeUrl(given) });
  log.info({ pages: knowledge.pageCount }, 'knowledge base read');
  if (given.KNOWLEDGE_DIR !== undefined && knowledge.pageCount === 0)
    log.warn('KNOWLEDGE_DIR has no pages: the chat has nothing to answer from');
  const backends = await openBackends(context);
  const draining = new ShutdownState();
  const app = createChatApp({
    ...context,
    ...backends,
    draining,
    checksOutputs: given.NODE_ENV !== 'production',
    knowledge,
    channel: channel && createChannel(channel),
    widget: await readWidget(log),
    model: modelOf(given),
    dailyTokens: given.CHAT_DAILY_TOKENS,
    dailyTokensPerIp: tokensPerIp(given),
    instructions: given.CHAT_INSTRUCTIONS,
    deadlineMs: given.CHAT_DEADLINE_MS,
    limits: { chat: given.CHAT_RATE_LIMIT, demo: given.DEMO_RATE_LIMIT },
    streams: { perIp: streamsPerIp(given), most: given.CHAT_STREAMS_MAX },
    proxies: given.TRUST_PROXY,
    stopping: after(context.stopping, given.STOP_TIMEOUT_MS - finalWriteMs - closingMs),
  });
  return stack.use(await serve(app, { host: given.HOST, port: given.PORT, draining, drainMs: given.STOP_DRAIN_MS }));
}

type Given = Settings<typeof settings>;

/** Returns the base URL of the pages. Throws if only the folder is set, since its pages could not be cited. */
function knowledgeUrl({ KNOWLEDGE_DIR: dir, KNOWLEDGE_BASE_URL: url }: Given): string {
  if (dir !== undefined && url === undefined) throw new Error('KNOWLEDGE_DIR needs KNOWLEDGE_BASE_URL.');
  return url ?? 'http://localhost/';
}

/** Returns warnings about settings that are valid, but probably not intended. */
function warningsOf(given: Given): string[] {
  return [
    ...(given.OPENAI_API_KEY === undefined && given.OPENAI_BASE_URL !== undefined
      ? ['OPENAI_BASE_URL without OPENAI_API_KEY: the built-in model answers']
      : []),
    ...(given.KNOWLEDGE_DIR === undefined ? ['KNOWLEDGE_DIR is not set: the chat has no pages to answer from'] : []),
    ...(given.TEAM_CHANNEL_WEBHOOK_URL === undefined
      ? ['TEAM_CHANNEL_WEBHOOK_URL is not set: demo requests are stored, and the team is not notified']
      : []),
  ];
}

function modelOf(given: Given) {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl, CHAT_MODEL: model } = given;
  return {
    configured: apiKey === undefined ? undefined : { apiKey, baseUrl, model },
    firstTokenMs: given.CHAT_FIRST_TOKEN_MS,
    stallMs: given.CHAT_STALL_MS,
    outputTokens: given.CHAT_OUTPUT_TOKENS,
  };
}

function tokensPerIp({ CHAT_DAILY_TOKENS_PER_IP: given, CHAT_DAILY_TOKENS: daily }: Given): number | null {
  return given === undefined ? daily && Math.ceil(daily * tokenShare) : given;
}

function streamsPerIp({ CHAT_STREAMS_PER_IP: given, CHAT_RATE_LIMIT: rate }: Given): number | null {
  return given === undefined ? (rate?.points ?? null) : given;
}

/** Returns a signal that is aborted `ms` after the given signal. */
function after(signal: AbortSignal, ms: number): AbortSignal {
  const later = new AbortController();
  const abort = async () => {
    await pause(Math.max(0, ms), undefined, { ref: false });
    later.abort();
  };
  signal.addEventListener('abort', () => void abort(), { once: true });
  return later.signal;
}
