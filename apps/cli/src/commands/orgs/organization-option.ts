import { findOrganizationsNamed } from '@relata/auth';
import type { Db } from '@relata/db';
import { nameText } from '@relata/schemas';
import { CliError } from '../../output/cli.error.ts';
import { value } from '../../command/parameter.ts';

const env = 'RELATA_ORG';

/** The organization as typed. A value that begins with `--` is the next option, so the organization is missing. */
const idOrName = nameText().refine((given) => !given.startsWith('--'), {
  error: 'The id or name of the organization is missing: the next word is an option.',
});

/** `--org`, for objects that belong to an organization. The command receives the organization's id. */
export const org = { ...value('ORG', idOrName, 'Id or name of the organization'), env, resolve: findId };

/** `--org`, optional. It has no default from the environment, which would silently hide the other organizations. */
export const anyOrganization = {
  ...value('ORG', idOrName.optional(), 'Only results of this organization: its id or name'),
  resolve: findId,
};

/** `--org`, optional because the given id already determines the organization. */
export const ofOrganization = {
  ...value('ORG', idOrName.optional(), 'Id or name of the organization that the object must belong to'),
  env,
  resolve: findId,
};

/** `--org` as a filter of a list. */
export const onlyOrganization = { ...ofOrganization, description: anyOrganization.description };

async function findId(db: Db, nameOrId: string): Promise<string> {
  const [found, ...others] = await findOrganizationsNamed(db, nameOrId);
  if (!found) throw new CliError('not_found', `There is no organization ${nameOrId}. See: relata orgs list`);
  if (others.length === 0) return found.id;
  const ids = [found, ...others].map(({ id }) => id);
  const message = `${ids.length} organizations are called ${nameOrId}: give the id (${shownIds(ids)}).`;
  throw new CliError('validation_error', message);
}

const idsShownMax = 5;

/** Formats at most five of the ids, with an ellipsis if there are more. */
export function shownIds(ids: readonly string[]): string {
  return `${ids.slice(0, idsShownMax).join(', ')}${ids.length > idsShownMax ? ', …' : ''}`;
}
