/**
 * Returns a message in which commands of this tool stand as they can be typed: `relata` is only on the path of the
 * image's shell, so RELATA_COMMAND has the words for this installation.
 */
export function asTyped(message: string): string {
  const words = process.env['RELATA_COMMAND'];
  return words === undefined ? message : message.replaceAll(command, () => `${words} `);
}

/** The name of the tool before a command, and not as a part of a path, an address or a longer word. */
const command = /(?<![\w./@-])relata (?=[a-z])/g;
