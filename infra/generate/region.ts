/**
 * Puts lines between `# <name>` and `# </name>` of a file that is otherwise written by hand, indented as the first of the
 * two is. On a page of Markdown the two are comments, `<!-- <name> -->`, with an empty line beside each. Throws where the
 * file has no such place.
 */
export function fillRegion(text: string, name: string, lines: readonly string[]): string {
  const place = new RegExp(`^([ \\t]*)((#|<!--) <${name}>.*)\\n[^]*?^[ \\t]*\\3 </${name}>(?: -->)?$`, 'm');
  if (!place.test(text)) throw new Error(`There is no place <${name}> to put what is generated.`);
  return text.replace(place, (_, indent: string, opening: string, mark: string) =>
    (mark === '#' ? [opening, ...lines, `# </${name}>`] : [opening, '', ...lines, '', `<!-- </${name}> -->`])
      .map((line) => line && indent + line)
      .join('\n'),
  );
}
