/**
 * Does work for each item in turn, continues after failures, and throws the first error at the end. Once the signal is
 * aborted, the next failure ends the loop, and the reason of the signal is thrown. Work may add items: an item that it
 * deletes from a Set and adds again gets another turn after all others.
 */
export async function tryEach<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  const errors: unknown[] = [];
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      signal?.throwIfAborted();
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
