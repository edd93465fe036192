import { ModelError } from './model-error.ts';

/**
 * A fetch whose answers end after so many bytes. A server that writes without end, or a line without end, would
 * otherwise fill the memory before anything of it could be counted.
 */
export function boundedFetch(bytesMax: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.body) return response;
    const bounded = boundedBody(response.body, bytesMax);
    const { status, statusText, headers } = response;
    return new Response(bounded, { status, statusText, headers });
  };
}

function boundedBody(body: ReadableStream<Uint8Array<ArrayBuffer>>, bytesMax: number) {
  const reader = body.getReader();
  let left = bytesMax;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        left -= value.length;
        if (left >= 0) return controller.enqueue(value);
        await reader.cancel().catch(() => {});
        throw new ModelError('The model sent more than it may.');
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
