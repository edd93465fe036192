/** Returns the value of a text field, or an empty string if there is none. */
export function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value : '';
}

/** The lines of a text field, without empty ones. */
export function linesOf(data: FormData, name: string): string[] {
  const lines = textOf(data, name).split('\n');
  return lines.map((line) => line.trim()).filter(Boolean);
}
