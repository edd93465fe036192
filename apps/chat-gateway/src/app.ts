import { KnownOrigins, CallerCache } from '@relata/auth';
import type { Channel } from '@relata/channel';
import { checkReachable } from '@relata/db';
import {
  addHealth,
  type Admission,
  type BuiltFiles,
  byApiKey,
  byScope,
  ByteBudget,
  readClientIp,
  createApi,
  type ShutdownState,
  UnreadResponses,
} from '@relata/http';
import type { Knowledge } from '@relata/knowledge';
import type { Log, Metrics, RateLimit } from '@relata/runtime';
import type { Backends } from '@relata/service/backends';
import type { IncomingMessage } from 'node:http';
import { chatOperations } from '@relata/schemas';
import { limitedByClient } from './admission/client-limit.ts';
import { chatHandler } from './chat/chat.handler.ts';
import { chatMetrics, measureStreams } from './chat/chat.metrics.ts';
import { OpenStreams, type StreamBounds } from './chat/open-streams.ts';
import { requestDemoHandler } from './demo/request-demo.handler.ts';
import { type ModelOptions, modelChooser } from './model/answering-model.ts';
import { TokenBudget } from './model/token-budget.ts';
import { voteAnswerHandler } from './vote/vote-answer.handler.ts';
import { addWidget } from './widget.route.ts';

export interface ChatApp extends Backends {
  log: Log;
  metrics: Metrics;
  stack: AsyncDisposableStack;
  draining: ShutdownState;
  checksOutputs: boolean;
  knowledge: Knowledge;
  /** The team's channel; undefined if none is configured. */
  channel: Channel | undefined;
  channelDeadlineMs?: number | undefined;
  /** The built files of the widget; undefined if it was not built. */
  widget: BuiltFiles | undefined;
  model: Pick<ModelOptions, 'configured' | 'firstTokenMs' | 'stallMs' | 'outputTokens'>;
  /** Daily tokens of an organization, and of one client IP; null for no limit. */
  dailyTokens: number | null;
  dailyTokensPerIp: number | null;
  instructions: string | undefined;
  deadlineMs: number;
  limits: { chat: RateLimit; demo: RateLimit };
  streams: StreamBounds;
  proxies: number;
  /** Aborted when open answers must end. */
  stopping: AbortSignal;
}

/**
 * Maximum total size of conversations in memory, in bytes. One visitor gets at most a quarter: four conversations of
 * the maximum size.
 */
const bodyBytesMax = 16 * 1_048_576;
/**
 * Maximum size of unread responses in memory, in bytes. It can be small, since streams wait for their readers and other
 * responses are short.
 */
const unreadBytesMax = 4 * 1_048_576;

export function createChatApp(opened: ChatApp) {
  const { database, messaging, log, stack, draining, model } = opened;
  const onError = (err: unknown) => log.warn({ err }, 'could not write when keys were last used');
  const callerCache = stack.use(new CallerCache({ db: database, messaging, onError }));
  const metrics = chatMetrics(opened.metrics);
  const { channel, widget } = opened;
  const ipOf: IpOf = (request) => readClientIp(request, opened.proxies);
  const chooseModel = modelChooser({ ...model, budget: budgetOf(opened), metrics, log });
  return createApi({
    operations: chatOperations,
    handlers: {
      chat: chatHandler({ ...opened, chooseModel, ipOf, metrics, outputTokens: model.outputTokens }),
      requestDemo: requestDemoHandler({ database, channel, deadlineMs: opened.channelDeadlineMs, metrics }),
      voteAnswer: voteAnswerHandler(metrics),
    },
    authorize: byScope(byApiKey(callerCache)),
    origins: new KnownOrigins(database, messaging),
    admission: admissions(opened, ipOf),
    bodies: new ByteBudget(bodyBytesMax),
    unread: new UnreadResponses(unreadBytesMax),
    // The client's address is part of the party, since all visitors of a page share one key.
    partyOf: (request, { orgId }) => [orgId, ipOf(request)],
    log,
    metrics: opened.metrics,
    draining,
    proxies: opened.proxies,
    checksOutputs: opened.checksOutputs,
    extend: (app) => {
      if (widget) addWidget(app, widget);
      addHealth(app, { draining, check: () => checkReachable(database) });
    },
  });
}

/** Opens the token budget; returns undefined if no model is configured, since the built-in model uses no tokens. */
function budgetOf({ dailyTokens: daily, dailyTokensPerIp: dailyPerIp, model, database: db, log, stack }: ChatApp) {
  const { apiKey: secret } = model.configured ?? {};
  return secret === undefined ? undefined : stack.use(new TokenBudget({ db, daily, dailyPerIp, secret, log }));
}

type ChatOperationId = keyof typeof chatOperations;
type IpOf = (request: IncomingMessage) => string;

/**
 * Returns the admission check of each operation. The checks limit a client's questions, demo requests, votes and open
 * answers, and an organization's open answers.
 */
function admissions({ limits, streams: bounds, messaging, stack, metrics }: ChatApp, ipOf: IpOf) {
  const streams = new OpenStreams(bounds);
  measureStreams(streams, metrics);
  const perIp = (name: string, limit: RateLimit) => limit && limitedByClient({ name, limit, messaging, stack, ipOf });
  const chats = perIp('chat', limits.chat);
  const demos = perIp('demo', limits.demo);
  // Votes have a separate limit, as high as that of questions.
  const votes = perIp('vote', limits.chat);
  const admitChat: Admission = async (request, caller, exchange) => {
    await chats?.(request, caller, exchange);
    streams.enter(ipOf(request), caller.orgId, exchange.response);
  };
  const byId = { chat: admitChat, requestDemo: demos, voteAnswer: votes } satisfies Record<ChatOperationId, unknown>;
  return ({ id }: { id: string }): Admission | null => byId[id as ChatOperationId];
}
