import { type Db, statement } from '@relata/db';
import { uuid } from '@relata/schemas';
import { CliError } from './cli.error.ts';
import { value } from './parameter.ts';

/** `--org`, which all but organizations themselves belong to. */
export const org = value('ID', uuid(), 'Id of the organization');

/** `--org` where the id that is named says it all. */
export const ofOrganization = value('ID', uuid().optional(), 'Only if it belongs to this organization');

const find = statement<{ id: string }>('organizations.find', 'SELECT id FROM organizations WHERE id = $1');

/** Refuses the id of an organization that does not exist. */
export async function requireOrganization(db: Db, id: string): Promise<void> {
  const [row] = await db.query(find, [id]);
  if (!row) throw new CliError('not_found', `There is no organization ${id}. See: relata orgs list`);
}
