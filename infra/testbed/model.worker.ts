import type { IncomingMessage, ServerResponse } from 'node:http';
import { firstChunk, lastChunks, tokenChunk, wholeAnswer } from './completion-chunks.ts';
import type { ModelScript } from './model.ts';
import { serveReady } from './serve-ready.ts';

// Stands in for the model: a server with the Chat Completions API that costs the shared cores as little as possible.

let script: ModelScript = { firstMs: 0, tokens: 1, gapMs: 0 };
let whole = wholeAnswer(script.tokens);

serveReady((request, response) => {
  if (request.method === 'PUT') return void takeScript(request, response);
  // The prompt is not evaluated, but the answer waits for it.
  request.resume().once('end', () => after(script.firstMs, () => answer(response, script)));
});

async function takeScript(request: IncomingMessage, response: ServerResponse): Promise<void> {
  script = JSON.parse((await request.setEncoding('utf8').toArray()).join('')) as ModelScript;
  whole = wholeAnswer(script.tokens);
  response.writeHead(204).end();
}

function after(ms: number, run: () => void): void {
  if (ms === 0) run();
  else setTimeout(run, ms);
}

/**
 * Writes an answer token by token. Gaps are random, like those of a model. With equal gaps, hundreds of answers would
 * be read and written at the same moments, and would need only half of the CPU time.
 */
function answer(response: ServerResponse, { tokens, gapMs }: ModelScript): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
  if (gapMs === 0) return void response.end(whole);
  let place = 0;
  let timer: NodeJS.Timeout | undefined;
  const next = () => {
    if (place === tokens) return void response.end(lastChunks);
    response.write(tokenChunk(place++));
    timer = setTimeout(next, gapMs * (0.5 + Math.random()));
  };
  response.write(firstChunk);
  next();
  response.once('close', () => clearTimeout(timer));
}
