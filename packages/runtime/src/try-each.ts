/**
 * Does work for each item in turn, also after an item for which it fails, and throws the first error at the end. Throws
 * at once if the signal is aborted. Work may add items: an item that it deletes from a Set and adds again gets another
 * turn after all others.
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
