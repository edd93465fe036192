import { isRecord } from '@relata/schemas';

/** A finished piece of JSON, or an array or object that still has to be converted. */
type Part = string | { value: readonly unknown[] | Record<string, unknown> };

/**
 * Returns JSON whose objects have their members sorted by name. A body of 1 MB may be nested too deeply for recursion,
 * and so for JSON.stringify.
 */
export function orderedJson(given: unknown): string {
  const texts: string[] = [];
  const todo = [partOf(given)];
  for (let next; (next = todo.pop()) !== undefined;) {
    if (typeof next === 'string') texts.push(next);
    else if (isRecord(next.value)) pushMembers(todo, next.value);
    else pushItems(todo, next.value);
  }
  return texts.join('');
}

function partOf(value: unknown): Part {
  return typeof value === 'object' && value !== null
    ? { value: value as Record<string, unknown> }
    : (JSON.stringify(value) ?? 'null');
}

/** Pushes the items of an array in reverse, since the last one pushed is converted first. */
function pushItems(todo: Part[], items: readonly unknown[]): void {
  todo.push(']');
  for (let i = items.length - 1; i >= 0; i--) todo.push(partOf(items[i]), i > 0 ? ',' : '');
  todo.push('[');
}

function pushMembers(todo: Part[], record: Record<string, unknown>): void {
  const names = Object.keys(record).filter((name) => record[name] !== undefined);
  todo.push('}');
  for (const [i, name] of names.toSorted((a, b) => (a < b ? 1 : -1)).entries())
    todo.push(partOf(record[name]), `${i < names.length - 1 ? ',' : ''}${JSON.stringify(name)}:`);
  todo.push('{');
}
