/**
 * Returns a stream of the parts `made`, followed by those of a generator, each created when the previous one was taken.
 * It begins at once, because a generator that never began would not clean up when its reader leaves.
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
