import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { listen } from './listen.ts';

/** A step of the model's response. */
type ModelStep =
  | { say: string }
  | { call: string; input: object }
  /** Waits this many milliseconds; if `pause` is Infinity, until the caller disconnects. */
  | { pause: number }
  /** Waits until the promise of the test is fulfilled. */
  | { until: () => Promise<unknown> }
  /** Sends an error in the stream, in OpenAI's format. */
  | { error: string }
  /** Closes the connection without a response. */
  | { drop: true }
  /** Ends the response cleanly, but without its finish reason. */
  | { close: true }
  /** Sends text unchanged. */
  | { raw: string };

export interface ModelScript {
  /** Status of the response. If it is not 200, the steps are skipped. */
  status?: number;
  steps?: readonly ModelStep[];
  /** Undefined if the server does not count tokens. */
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | undefined;
  finish?: string;
}

interface ModelRequest {
  url: string;
  headers: IncomingMessage['headers'];
  // Tests assert the contents of a request.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
  /** Resolves when the caller disconnects before the response is complete. */
  left: Promise<void>;
}

export interface ModelServer extends AsyncDisposable {
  /** Value for `OPENAI_BASE_URL`. */
  url: string;
  /** Script of all later responses. */
  script: ModelScript;
  requests: ModelRequest[];
  /** Total number of characters of `say` steps that were sent. It stops growing when the caller stops reading. */
  said: number;
}

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/** Starts a server that speaks Chat Completions like OpenAI, and follows a script. */
export async function startModelServer(script: ModelScript = { steps: [{ say: 'Hello.' }] }): Promise<ModelServer> {
  const model: Omit<ModelServer, typeof Symbol.asyncDispose | 'url'> = { script, requests: [], said: 0 };
  const server = createServer(
    (request, response) => void answer(model, request, response).catch(() => response.destroy()),
  );
  const { url, close } = await listen(server);
  return Object.assign(model, { url: `${url}/v1`, [Symbol.asyncDispose]: close });
}

async function answer(
  model: Pick<ModelServer, 'script' | 'requests' | 'said'>,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const { script } = model;
  const text = (await request.setEncoding('utf8').toArray()).join('');
  const left = Promise.withResolvers<void>();
  const leaving = new AbortController();
  response.once('close', () => {
    if (response.writableFinished) return;
    leaving.abort();
    left.resolve();
  });
  model.requests.push({ url: request.url!, headers: request.headers, body: JSON.parse(text), left: left.promise });
  if (script.status !== undefined && script.status !== 200) {
    const error = { message: 'The model is not well.', type: 'server_error', param: null, code: null };
    return void response
      .writeHead(script.status, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ error }));
  }
  response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
  for (const step of script.steps ?? []) {
    if (!(await perform(step, response, leaving.signal))) return;
    if ('say' in step) model.said += step.say.length;
  }
  const counted = 'usage' in script ? script.usage : usage;
  send(response, { choices: [{ index: 0, delta: {}, finish_reason: script.finish ?? 'stop' }] });
  if (counted) send(response, { choices: [], usage: counted });
  response.end('data: [DONE]\n\n');
}

/** Performs a step. Returns false if the response has ended. */
async function perform(step: ModelStep, response: ServerResponse, leaving: AbortSignal): Promise<boolean> {
  if (response.destroyed) return false;
  if ('say' in step) await say(response, { content: step.say }, leaving);
  else if ('call' in step) await say(response, { tool_calls: [toolCall(step)] }, leaving);
  else if ('raw' in step) response.write(step.raw);
  else if ('error' in step)
    send(response, undefined, { message: step.error, type: 'server_error', code: null, param: null });
  else if ('pause' in step) return await wait(step.pause, leaving);
  else if ('until' in step) await step.until();
  else if ('close' in step) response.end();
  else response.destroy();
  return !('close' in step || 'drop' in step || 'error' in step);
}

function toolCall({ call: name, input }: { call: string; input: object }) {
  return { index: 0, id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

function wait(ms: number, signal: AbortSignal): Promise<boolean> {
  // Infinity is replaced by 10 minutes, which is longer than any test.
  return pause(Math.min(ms, 600_000), true, { signal, ref: false }).catch(() => false);
}

async function say(response: ServerResponse, delta: object, leaving: AbortSignal): Promise<void> {
  send(response, { choices: [{ index: 0, delta, finish_reason: null }] });
  if (response.writableNeedDrain) await once(response, 'drain', { signal: leaving }).catch(() => {});
}

function send(response: ServerResponse, chunk: object | undefined, error?: object): void {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_780_000_000, model: 'test-model' };
  response.write(`data: ${JSON.stringify(error ? { error } : { ...head, ...chunk })}\n\n`);
}
