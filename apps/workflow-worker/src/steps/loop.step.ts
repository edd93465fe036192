import { invalidInput } from './step.error.ts';

const itemsMax = 100;

/** What a loop goes over. */
export function readItems({ items }: Record<string, unknown>): unknown[] {
  if (!Array.isArray(items)) throw invalidInput('items', 'Must be a list.');
  if (items.length > itemsMax) throw invalidInput('items', `Must have at most ${itemsMax} items.`);
  return items;
}
