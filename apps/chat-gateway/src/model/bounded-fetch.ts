import { streamOf } from '../stream-of.ts';
import { ModelError } from './model-error.ts';

/**
 * A fetch whose answers end after so many bytes. A server that writes without end, or a line without end, would
 * otherwise fill the memory before anything of it could be counted.
 */
export function boundedFetch(bytesMax: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    return response.body ? new Response(streamOf(bounded(response.body, bytesMax)), response) : response;
  };
}

async function* bounded(body: AsyncIterable<Uint8Array<ArrayBuffer>>, bytesMax: number) {
  let left = bytesMax;
  for await (const bytes of body) {
    left -= bytes.length;
    if (left < 0) throw new ModelError('The model sent more than it may.');
    yield bytes;
  }
}
