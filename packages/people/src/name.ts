/**
 * Placeholder for a missing first or last name. A user in the API must have both, but the name of a person may be a
 * single word.
 */
const none = '-';

/** SQL for the whole name of a user `u`. */
export const nameOfUserSql = `u.first_name || CASE WHEN u.last_name = '${none}' THEN '' ELSE ' ' || u.last_name END`;

/** Splits a name into a first and a last name; the last word is the last name. */
export function nameOfUser(name: string): { first_name: string; last_name: string } {
  const words = name.trim().split(/\s+/);
  if (words.length === 1) return { first_name: words[0] || none, last_name: none };
  return { first_name: words.slice(0, -1).join(' '), last_name: words.at(-1)! };
}
