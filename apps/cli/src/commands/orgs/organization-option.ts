import { findOrganizationsNamed, type Organization } from '@relata/auth';
import type { Db } from '@relata/db';
import { nameText } from '@relata/schemas';
import { CliError } from '../../output/cli.error.ts';
import { value } from '../../command/parameter.ts';

const env = 'RELATA_ORG';

/** A value that begins with `--` is the next option: the organization was left out. */
const idOrName = nameText().refine((given) => !given.startsWith('--'), {
  error: 'Is an option: the organization is missing.',
});

/** `--org`, which all but organizations themselves belong to. A command is given its id. */
export const org = { ...value('ORG', idOrName, 'Id or name of the organization'), env, resolve: findId };

/** `--org` where it may be any: an environment that names one must not leave the others out unseen. */
export const anyOrganization = {
  ...value('ORG', idOrName.optional(), 'Only those of this organization: its id or name'),
  resolve: findId,
};

/** `--org` where the id that is named says it all. */
export const ofOrganization = {
  ...value('ORG', idOrName.optional(), 'Only if it belongs to this organization: its id or name'),
  env,
  resolve: findId,
};

/** `--org` of a list. */
export const onlyOrganization = { ...ofOrganization, description: anyOrganization.description };

async function findId(db: Db, nameOrId: string): Promise<string> {
  const [found, ...others] = await findOrganizationsNamed(db, nameOrId);
  if (!found) throw new CliError('not_found', `There is no organization ${nameOrId}. See: relata orgs list`);
  if (others.length > 0) throw ambiguous(nameOrId, [found, ...others]);
  return found.id;
}

const organizationsShownMax = 5;

function ambiguous(name: string, found: readonly Organization[]): CliError {
  const shown = found.slice(0, organizationsShownMax).map(({ id }) => id);
  const ids = `${shown.join(', ')}${found.length > shown.length ? ', …' : ''}`;
  return new CliError('validation_error', `${found.length} organizations are called ${name}: give the id (${ids}).`);
}
