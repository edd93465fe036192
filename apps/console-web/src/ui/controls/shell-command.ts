const plain = /^[\w@%+=:,./-]+$/;

const quoted = (text: string) => (plain.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`);

/** Returns a command as typed into a shell, with each part quoted as one word. */
export function shellCommand(...parts: readonly string[]): string {
  return parts.map(quoted).join(' ');
}

export const relata = (...parts: readonly string[]) => shellCommand('relata', ...parts);

export function option(name: string, ...values: readonly string[]): string[] {
  return values.flatMap((value) => [`--${name}`, value]);
}
