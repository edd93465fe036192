import { ModelError } from './model-error.ts';

/**
 * A fetch whose answers end after so many bytes. A server that writes without end, or a line without end, would
 * otherwise fill the memory before anything of it could be counted.
 */
export function boundedFetch(bytesMax: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.body) return response;
    let left = bytesMax;
    const bounded = response.body.pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(chunk, controller) {
          left -= chunk.length;
          if (left < 0) throw new ModelError('The model sent more than it may.');
          controller.enqueue(chunk);
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(bounded, { status, statusText, headers });
  };
}
