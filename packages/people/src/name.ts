/**
 * Placeholder for a missing name: a user of the API has two names, and neither may be empty, while a person has one.
 */
const none = '-';

/** SQL for the name of a user `u` as a single text. */
export const nameOfUserSql = `u.first_name || CASE WHEN u.last_name = '${none}' THEN '' ELSE ' ' || u.last_name END`;

/** Splits a name into a first and a last name; the last word is the last name. */
export function nameOfUser(name: string): { first_name: string; last_name: string } {
  const words = name.trim().split(/\s+/);
  if (words.length === 1) return { first_name: words[0] || none, last_name: none };
  return { first_name: words.slice(0, -1).join(' '), last_name: words.at(-1)! };
}
