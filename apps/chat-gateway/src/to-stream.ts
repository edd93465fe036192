/**
 * Returns a stream of the parts in `made`, followed by those of a generator. The generator creates a part when the
 * previous part is read. Without `made`, it starts at once, since a generator that never starts would not run its
 * `finally` block.
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
