const plain = /^[\w@%+=:,./-]+$/;

const quoted = (text: string) => (plain.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`);

/** A command of `relata` as it is typed; `undefined` parts are left out. */
export function relata(...parts: readonly (string | undefined)[]): string {
  return ['relata', ...parts.filter((part) => part !== undefined).map(quoted)].join(' ');
}

/** An option with its value, once for each value. */
export function option(name: string, ...values: readonly string[]): string[] {
  return values.flatMap((value) => [`--${name}`, value]);
}
