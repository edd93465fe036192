/**
 * A stream that makes its next part when the one before it was taken. It begins at once: a generator that never began
 * would not clean up behind itself when its reader leaves.
 */
export function streamOf<Part>(parts: AsyncGenerator<Part, void, undefined>): ReadableStream<Part> {
  return new ReadableStream<Part>({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await parts.return()),
  });
}
