import type { CommandContext } from '../../command/command.ts';

/**
 * Runs `work` for the given organization, or for all listed ones in turn, and returns all results. If `work` fails for
 * one organization, the others are still processed. Passes each error to `say`, and throws the first one at the end.
 */
export async function eachOrganization<Result>(
  { say }: CommandContext,
  org: string | undefined,
  list: () => Promise<readonly string[]>,
  work: (orgId: string) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const orgIds = org === undefined ? await list() : [org];
  const done: Result[] = [];
  const errors: unknown[] = [];
  for (const orgId of orgIds) {
    try {
      done.push(...(await work(orgId)));
    } catch (error) {
      errors.push(error);
      say(`Organization ${orgId}: ${(error as Error).message}`);
    }
  }
  if (errors.length === 0) return done;
  say(`${orgIds.length - errors.length} of ${orgIds.length} organizations are done.`);
  throw errors[0];
}
