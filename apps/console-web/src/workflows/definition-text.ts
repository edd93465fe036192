/** A definition as it is read and compared: its keys in the order in which they were written. */
export function definitionText(definition: unknown): string {
  return JSON.stringify(definition, null, 2);
}
