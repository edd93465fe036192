import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Exchange, type HandlerContext, loopTurns, StreamedResponse } from '@relata/http';
import { type Knowledge, type Source, sourcesInSlices } from '@relata/knowledge';
import { runInSlices } from '@relata/schemas/time-slices';
import { type Log, Slots } from '@relata/runtime';
import type { ChatRequest } from '@relata/schemas/chat';
import { experimental_streamTextLowMemory as streamText, toUIMessageStream } from 'ai';
import type { ChooseModel } from '../model/answering-model.ts';
import type { ChosenModel } from '../model/backed-model.ts';
import { loggableFailure } from '../model/model-error.ts';
import type { Asker } from '../model/token-budget.ts';
import { answerParts, failedText } from './answer-parts.ts';
import type { ChatMetrics } from './chat.metrics.ts';
import { type Conversation, readConversation } from './conversation.ts';
import { tools } from './demo-tool.ts';
import { type Ending, watchEnding } from './ending.ts';
import { instructionsFor } from './instructions.ts';
import { sendParts } from './send-parts.ts';

export interface ChatContext {
  knowledge: Knowledge;
  chooseModel: ChooseModel;
  ipOf: (request: IncomingMessage) => string;
  metrics: ChatMetrics;
  instructions: string | undefined;
  outputTokens: number;
  deadlineMs: number;
  stopping: AbortSignal;
  log: Log;
}

/**
 * Maximum number of searches at a time. A search keeps all passages that it has found, 3 MB of the heap with 1,000 long
 * pages. One organization can have at most half of these searches, and one visitor a quarter.
 */
const searchesMax = 8;

export function chatHandler(chat: ChatContext) {
  const searches = new Slots(searchesMax);
  return async ({ body }: { body: ChatRequest }, { caller, exchange }: HandlerContext): Promise<StreamedResponse> => {
    // The request's turn of the event loop ended when its body had arrived. The work on the question needs a new turn.
    await loopTurns.take([caller.orgId]);
    const asker = { orgId: caller.orgId, ip: chat.ipOf(exchange.response.req) };
    const conversation = readConversation(body);
    const sources = await findSources(chat.knowledge, searches, conversation, asker);
    const instructions = instructionsFor({ organization: caller.orgName, more: chat.instructions, sources });
    const promptBytes = bytesOf([instructions, ...conversation.turns.map(({ content }) => content)]);
    const chosen = chat.chooseModel({ asker, promptBytes, turns: conversation.turns, sources });
    const question = { ...conversation, chosen, instructions, sources, exchange };
    return new StreamedResponse((response) => answer(response, chat, question));
  };
}

async function findSources(
  knowledge: Knowledge,
  searches: Slots,
  conversation: Conversation,
  { orgId, ip }: Asker,
): Promise<Source[]> {
  using _search = await searches.hold([orgId, ip]);
  return await runInSlices(sourcesInSlices(knowledge, conversation, orgId), loopTurns.yieldAfterSlice([orgId]));
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

interface PreparedQuestion extends Conversation {
  chosen: ChosenModel;
  instructions: string;
  sources: Source[];
  exchange: Exchange;
}

async function answer(response: ServerResponse, chat: ChatContext, question: PreparedQuestion): Promise<void> {
  using ending = watchEnding(response, chat);
  const parts = answerParts({
    parts: toUIMessageStream({
      stream: modelStream(chat, question, ending),
      sendReasoning: false,
      sendSources: false,
      onError: () => failedText,
    }),
    sources: question.sources,
    question: question.question,
    citesAlways: question.chosen.citesAlways,
    ending,
    onFirstToken: () => chat.metrics.firstToken.observe((performance.now() - question.exchange.startedAt) / 1_000),
    onEnd: (outcome) => chat.metrics.answers.inc({ outcome }),
  });
  // In HTTP/1.0, a stream ends only when its connection is closed.
  const isLast = question.exchange.isStopping || !response.shouldKeepAlive || response.req.httpVersion === '1.0';
  await sendParts({ response, parts, signal: ending.signal, isLast });
}

function modelStream(
  { outputTokens, log }: ChatContext,
  { chosen: { model }, instructions, turns }: PreparedQuestion,
  ending: Ending,
) {
  return streamText({
    model,
    instructions,
    messages: turns,
    tools,
    maxOutputTokens: outputTokens,
    // A retry would make the visitor wait, while the built-in model can answer immediately.
    maxRetries: 0,
    abortSignal: ending.signal,
    onError: ({ error }) => log.warn({ failure: loggableFailure(error) }, 'an answer was cut off'),
  }).stream;
}
