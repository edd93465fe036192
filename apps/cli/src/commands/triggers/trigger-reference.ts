import type { Db } from '@relata/db';
import { uuid } from '@relata/schemas';
import { findTrigger, findTriggerOrganization, type Trigger } from '@relata/workflows';
import { CliError } from '../../output/cli.error.ts';
import { value } from '../../command/parameter.ts';
import { findStackOn } from '../../command/stack-file.ts';

/** A trigger as it is typed. */
export const triggerArgument = value('TRIGGER', uuid(), 'Id of the trigger');

/** The trigger of this id, of this organization where one is named. */
export async function requireTrigger(db: Db, id: string, orgId?: string): Promise<Trigger> {
  const owner = await findTriggerOrganization(db, id);
  const found = owner !== undefined && (orgId ?? owner) === owner ? await findTrigger(db, owner, id) : undefined;
  if (!found) throw new CliError('not_found', `There is no trigger ${id}. See: relata triggers list`);
  return found;
}

/** Adds where deliveries are sent; the whole URL where the running local stack has the trigger. */
export function withUrl(trigger: Trigger, baseUrl: string | undefined) {
  const path = triggerPath(trigger.id);
  return { ...trigger, url_path: path, ...(baseUrl !== undefined && { url: `${baseUrl}${path}` }) };
}

export function triggerPath(id: string): string {
  return `/webhooks/trigger/${id}`;
}

/** The address of the running local stack, if this database is its. */
export function localBaseUrl(databaseUrl: string): string | undefined {
  return findStackOn(databaseUrl)?.base_url?.replace(/\/+$/, '');
}
