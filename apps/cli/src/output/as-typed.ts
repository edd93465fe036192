/**
 * Returns a message in which the commands of this tool are written as the user can type them. No installation puts
 * `relata` on the PATH by itself, so RELATA_COMMAND has the words to type instead.
 */
export function asTyped(message: string): string {
  const words = process.env['RELATA_COMMAND'];
  return words === undefined ? message : message.replaceAll(command, () => `${words} `);
}

/** Matches the name of the tool before a command, but not within a path, an address or a longer word. */
const command = /(?<![\w./@-])relata (?=[a-z])/g;
