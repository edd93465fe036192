import { tracing } from '@relata/telemetry';
import { streamOf } from '../stream-of.ts';
import { ModelError } from './model-error.ts';

/**
 * A fetch whose answers end after so many bytes. A server that writes without end, or a line without end, would
 * otherwise fill the memory before anything of it could be counted.
 */
export function boundedFetch(bytesMax: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, tracing ? traced(input, init) : init);
    return response.body ? new Response(streamOf(bounded(response.body, bytesMax)), response) : response;
  };
}

/** The call is part of the span that asked for it. */
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
    if (left < 0) throw new ModelError('The model sent more than it may.');
    yield bytes;
  }
}
