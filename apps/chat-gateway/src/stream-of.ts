/**
 * Returns a stream of the parts `made`, followed by the parts of a generator, which creates each part when the previous
 * part is read. Without `made`, the generator starts at once, since a generator that never starts would not run its
 * `finally`.
 */
export function toStream<Part>(
  parts: AsyncGenerator<Part, void, undefined>,
  ...made: readonly Part[]
): ReadableStream<Part> {
  return new ReadableStream<Part>({
    start(controller) {
      for (const part of made) controller.enqueue(part);
    },
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await parts.return()),
  });
}
