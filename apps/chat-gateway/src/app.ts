import { KnownOrigins, Keyring } from '@relata/auth';
import { type Channel } from '@relata/channel';
import { checkReachable } from '@relata/db';
import {
  addHealth,
  type Admission,
  type Backends,
  clientIpOf,
  createApi,
  type Draining,
  limitedBy,
  SharedLimit,
} from '@relata/http';
import type { Log, Metrics, RateLimit } from '@relata/runtime';
import { chatOperations } from '@relata/schemas';
import { chatHandler } from './chat/chat.handler.ts';
import { chatMetrics, measureStreams } from './chat/chat.metrics.ts';
import { OpenStreams, type StreamBounds } from './chat/open-streams.ts';
import { requestDemoHandler } from './demo/request-demo.handler.ts';
import type { Knowledge } from './knowledge/knowledge.ts';
import { type ModelOptions, modelChooser } from './model/answering-model.ts';
import { TokenBudget } from './model/token-budget.ts';
import { addWidget } from './widget.routes.ts';

export interface ChatApp extends Backends {
  log: Log;
  metrics: Metrics;
  stack: AsyncDisposableStack;
  draining: Draining;
  checksAnswers: boolean;
  knowledge: Knowledge;
  /** The team's; undefined where none is configured. */
  channel: Channel | undefined;
  /** The widget's script; undefined where it was not built. */
  widget: Buffer | undefined;
  model: Pick<ModelOptions, 'configured' | 'firstTokenMs' | 'stallMs' | 'outputTokens'>;
  /** Tokens of one organization; null for no bound. */
  dailyTokens: number | null;
  instructions: string | undefined;
  deadlineMs: number;
  limits: { chat: RateLimit; demo: RateLimit };
  streams: StreamBounds;
  /** Proxies in front. */
  proxies: number;
  /** Aborted when answers that are still being given are to end. */
  stopping: AbortSignal;
}

/** The chat gateway on what was opened for it. */
export function createChatApp(opened: ChatApp) {
  const { database, messaging, log, stack, draining, model, stopping } = opened;
  const warnOf = (what: string) => (err: unknown) => log.warn({ err }, what);
  const onError = warnOf('could not note when keys were used');
  const keyring = stack.use(new Keyring({ db: database, messaging, onError }));
  const budget = budgetOf(opened, warnOf('could not note tokens'));
  const metrics = chatMetrics(opened.metrics);
  const { knowledge, instructions, deadlineMs, channel, widget } = opened;
  const { outputTokens } = model;
  const chooseModel = modelChooser({ ...model, budget, metrics, log });
  return createApi({
    operations: chatOperations,
    handlers: {
      chat: chatHandler({ knowledge, chooseModel, metrics, instructions, outputTokens, deadlineMs, stopping, log }),
      requestDemo: requestDemoHandler({ database, channel, metrics }),
    },
    keyring,
    origins: new KnownOrigins(database, messaging),
    admission: admissions(opened),
    log,
    metrics: opened.metrics,
    draining,
    checksAnswers: opened.checksAnswers,
    extend: (app) => {
      if (widget) addWidget(app, widget);
      addHealth(app, { draining, check: () => checkReachable(database) });
    },
  });
}

function budgetOf({ dailyTokens: daily, database, stack }: ChatApp, onError: (error: unknown) => void) {
  return daily === null ? null : stack.use(new TokenBudget({ db: database, daily, onError }));
}

/** One client may ask only so often, and be answered only so many times at once. */
function admissions({ limits, streams: bounds, proxies, messaging, stack, metrics }: ChatApp) {
  const streams = new OpenStreams(bounds);
  measureStreams(streams, metrics);
  const perIp = (name: string, limit: RateLimit) =>
    limit && limitedBy(stack.use(new SharedLimit(name, limit, messaging)), (request) => clientIpOf(request, proxies));
  const chats = perIp('chat', limits.chat);
  const demos = perIp('demo', limits.demo);
  const admitChat: Admission = async (request, caller, exchange) => {
    await chats?.(request, caller, exchange);
    streams.enter(clientIpOf(request, proxies), exchange.response);
  };
  return ({ id }: { id: string }): Admission | null => (id === chatOperations.chat.id ? admitChat : demos);
}
