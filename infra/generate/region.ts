/**
 * Replaces the lines between `# <name>` and `# </name>` in a file that is otherwise written by hand. The new lines are
 * indented like `# <name>`. Throws if the file has no such region.
 */
export function fillRegion(text: string, name: string, lines: readonly string[]): string {
  const place = new RegExp(`^([ \\t]*)(# <${name}>.*)\\n[^]*?^[ \\t]*# </${name}>$`, 'm');
  if (!place.test(text)) throw new Error(`The file has no region <${name}> for the generated lines.`);
  return text.replace(place, (_, indent: string, opening: string) =>
    [opening, ...lines, `# </${name}>`].map((line) => line && indent + line).join('\n'),
  );
}
