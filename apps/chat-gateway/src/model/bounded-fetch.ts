import { tracing } from '@relata/telemetry';
import { toStream } from '../to-stream.ts';
import { ModelError } from './model-error.ts';

/**
 * Returns a `fetch` whose response bodies fail after `bytesMax` bytes. Otherwise a server could fill the memory with an
 * endless line before any token is counted.
 */
export function boundedFetch(bytesMax: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, tracing ? traced(input, init) : init);
    return response.body ? new Response(toStream(bounded(response.body, bytesMax)), response) : response;
  };
}

/** Makes the call part of the current span. */
function traced(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): RequestInit | undefined {
  const trace = tracing?.active();
  if (!trace) return init;
  const { hostname } = new URL(input instanceof Request ? input.url : input);
  trace.set({ 'server.address': hostname });
  const headers = new Headers(init?.headers);
  headers.set('traceparent', trace.traceparent);
  return { ...init, headers };
}

async function* bounded(body: AsyncIterable<Uint8Array<ArrayBuffer>>, bytesMax: number) {
  let left = bytesMax;
  for await (const bytes of body) {
    left -= bytes.length;
    if (left < 0) throw new ModelError('The answer of the model was too large.');
    yield bytes;
  }
}
