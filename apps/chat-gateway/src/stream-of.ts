/**
 * A stream of parts, each made when the one before it was taken; what was made already comes first. It begins at once: a
 * generator that never began would not clean up behind itself when its reader leaves.
 */
export function streamOf<Part>(
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
