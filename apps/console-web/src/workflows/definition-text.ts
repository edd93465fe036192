/** Returns a definition as formatted text, with its keys in the original order. */
export function definitionText(definition: unknown): string {
  return JSON.stringify(definition, null, 2);
}

/** Returns the line of a step, from 1, in a text by `definitionText`. `each.contact` is a step of the loop `each`. */
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
