/** Returns what to do to use a restored database. */
export function switchText(database: string, newestEvent: string | null): string {
  return `The last change in it was made at ${newestEvent ?? 'no time'}; later ones are only in the present database.
To use it with Compose:
  1. Set POSTGRES_DB=${database} in .env.
  2. docker compose up --detach
Elsewhere: stop all apps, let DATABASE_URL and DATABASE_MIGRATION_URL end in /${database}, start them.
The present database stays as it is; to go back, set its name again.`;
}
