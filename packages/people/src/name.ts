/** A user of the API has two names, and none may be empty; a person has one. */
const none = '-';

/** The name of a user `u` as one, in SQL. */
export const nameOfUserSql = `u.first_name || CASE WHEN u.last_name = '${none}' THEN '' ELSE ' ' || u.last_name END`;

/** The first and the last name of a user: the last word is the last name. */
export function nameOfUser(name: string): { first_name: string; last_name: string } {
  const words = name.trim().split(/\s+/);
  if (words.length === 1) return { first_name: words[0] || none, last_name: none };
  return { first_name: words.slice(0, -1).join(' '), last_name: words.at(-1)! };
}
