const nameFields = ['account_name', 'opportunity_name', 'first_name', 'last_name', 'content'];

/** Maximum number of characters of a name. */
const charactersMax = 120;

/** Returns the name that people see for a record. An activity has the beginning of its text, a nameless one its id. */
export function recordName(record: Readonly<Record<string, unknown>>): string {
  const parts = nameFields.flatMap((field) => (typeof record[field] === 'string' ? [record[field]] : []));
  const characters = Array.from(parts.join(' ').trim());
  const name = characters.length > charactersMax ? [...characters.slice(0, charactersMax - 1), '…'] : characters;
  return name.join('') || String(record['id']);
}
