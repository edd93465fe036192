/** A key that its object has already. */
export interface RepeatedKey {
  /** As it is written, in its quotes. */
  readonly written: string;
  readonly position: number;
}

/** A string, with what tells a key from a value; or where an object begins or ends. */
const token = /("[^"\\]*(?:\\.[^"\\]*)*")([ \t\n\r]*:)?|[{}]/g;

/** The first key that an object of a JSON text has twice: JSON.parse lets the last one win and says nothing. */
export function findRepeatedKey(json: string): RepeatedKey | undefined {
  const around: Set<string>[] = [];
  for (const { 0: found, 1: written, 2: colon, index } of json.matchAll(token)) {
    if (found === '{') around.push(new Set());
    else if (found === '}') around.pop();
    else if (written !== undefined && colon !== undefined) {
      const keys = around.at(-1)!;
      const key = JSON.parse(written) as string;
      if (keys.has(key)) return { written, position: index };
      keys.add(key);
    }
  }
  return undefined;
}
