/** Returns instructions for using a restored database. */
export function switchText(database: string, newestEvent: string | null): string {
  const last = newestEvent === null ? 'It contains no events' : `The last change in it was made at ${newestEvent}`;
  return `${last}; later changes are only in the current database.
To use it with Compose:
  1. Set POSTGRES_DB=${database} in .env.
  2. docker compose up --detach
Elsewhere: stop all apps, set the database name in DATABASE_URL and DATABASE_MIGRATION_URL to ${database}, start them.
With KEDA: also set dbName in the secret relata-keda to ${database}, and grant KEDA's role the columns again.
The current database stays as it is; to go back, set its name again.`;
}

/** Returns a note about roles whose privileges were not restored; empty if there are none. */
export function rolesText(roles: readonly string[]): string {
  if (roles.length === 0) return '';
  return `
Privileges of roles other than the owner and the apps are not restored. Grant them again if needed: ${roles.join(', ')}`;
}

/** Returns a note about objects that were left out of the new database; empty if there are none. */
export function leftOutText(objects: readonly string[]): string {
  if (objects.length === 0) return '';
  return `
Publications, subscriptions, event triggers, foreign servers, extensions that the owner may not create or that this
server lacks, and what needs them, are not restored. Create them again if needed: ${objects.join(', ')}`;
}
