import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { costlyTokens, largeResponseBytes, modelText, type OutsideCounts, words } from './outside-servers.ts';
import { serveReady } from './serve-ready.ts';

// The outside servers: a system that workflows call, the model, and the team's channel.

const counts: OutsideCounts = { silentCalls: 0, silentModel: 0, silentChannel: 0, largeResponses: 0, heldNames: 0 };

const largeResponse = JSON.stringify({ text: 'x'.repeat(largeResponseBytes - '{"text":""}'.length) });

const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => unknown> = {
  '/counts': (_request, response) => sendJson(response, JSON.stringify(counts)),
  '/ok': (_request, response) => sendJson(response, '{}'),
  '/silent': (_request, response) => staySilent('silentCalls', response),
  '/names': (_request, response) => staySilent('heldNames', response),
  '/large': (_request, response) => {
    counts.largeResponses++;
    sendJson(response, largeResponse);
  },
  '/channel': async (request, response) => {
    if ((await text(request)).includes(words.silent)) staySilent('silentChannel', response);
    else response.end('ok');
  },
  '/v1/chat/completions': async (request, response) => {
    const prompt = await text(request);
    if (prompt.includes(words.silent)) staySilent('silentModel', response);
    else answerAsModel(response, prompt.includes(words.costly) ? costlyTokens : 2);
  },
};

serveReady((request, response) => {
  const route = routes[request.url!];
  if (!route) return void response.writeHead(404).end();
  // If a caller is killed in the middle of its request, this is not an error of the server.
  Promise.resolve(route(request, response)).catch(() => response.destroy());
});

function staySilent(count: keyof OutsideCounts, response: ServerResponse): void {
  counts[count]++;
  response.once('close', () => counts[count]--);
}

function sendJson(response: ServerResponse, json: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(json);
}

/** Answers with Chat Completions, as OpenAI streams them. */
function answerAsModel(response: ServerResponse, tokens: number): void {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_780_000_000, model: 'neighbours' };
  const send = (chunk: object) => response.write(`data: ${JSON.stringify({ ...head, ...chunk })}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  send({ choices: [{ index: 0, delta: { role: 'assistant', content: modelText }, finish_reason: null }] });
  send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  const usage = { prompt_tokens: tokens / 2, completion_tokens: tokens / 2, total_tokens: tokens };
  send({ choices: [], usage });
  response.end('data: [DONE]\n\n');
}
