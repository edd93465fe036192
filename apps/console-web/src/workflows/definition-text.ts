/** Returns a definition as formatted text, with its keys in the original order. */
export function definitionText(definition: unknown): string {
  return JSON.stringify(definition, null, 2);
}

/** Returns the line of a step in a text by `definitionText`, or undefined. `each.contact` is a step of a loop. */
export function lineOfStep(text: string, place: string): number | undefined {
  const lines = text.split('\n');
  let found = -1;
  for (const [depth, id] of place.split('.').entries()) {
    const written = `${' '.repeat(6 + 4 * depth)}"id": ${JSON.stringify(id)}`;
    found = lines.findIndex((line, at) => at > found && (line === written || line === `${written},`));
    if (found < 0) return undefined;
  }
  return found + 1;
}
