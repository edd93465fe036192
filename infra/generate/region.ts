/**
 * Puts lines between `# <name>` and `# </name>` of a file that is otherwise written by hand, indented like the first of
 * the two. Throws if the file has no such place.
 */
export function fillRegion(text: string, name: string, lines: readonly string[]): string {
  const place = new RegExp(`^([ \\t]*)(# <${name}>.*)\\n[^]*?^[ \\t]*# </${name}>$`, 'm');
  if (!place.test(text)) throw new Error(`There is no place <${name}> for the generated lines.`);
  return text.replace(place, (_, indent: string, opening: string) =>
    [opening, ...lines, `# </${name}>`].map((line) => line && indent + line).join('\n'),
  );
}
