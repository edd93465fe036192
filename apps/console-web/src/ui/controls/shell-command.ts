const plain = /^[\w@%+=:,./-]+$/;

const quoted = (text: string) => (plain.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`);

/** Returns a shell command in which each part is one word, quoted if necessary. */
export function shellCommand(...parts: readonly string[]): string {
  return parts.map(quoted).join(' ');
}

export const relata = (...parts: readonly string[]) => shellCommand('relata', ...parts);

export function option(name: string, ...values: readonly string[]): string[] {
  return values.flatMap((value) => [`--${name}`, value]);
}
