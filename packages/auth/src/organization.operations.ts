import { type Actor, type OperationContext, readInput, writeAuditEvent } from '@relata/events';
import { nameText } from '@relata/schemas';
import { AppError } from '@relata/schemas/errors';
import { z } from 'zod';
import { type ChangedOrganization, lockOrganization, updateOrganizationName } from './organization.sql.ts';

const NewName = z.strictObject({ name: nameText() });

/** Renames an organization; its id and URLs do not change. Throws `not_found`. */
export async function renameOrganization(
  { database }: Pick<OperationContext, 'database'>,
  actor: Actor,
  input: z.input<typeof NewName>,
): Promise<ChangedOrganization> {
  const { name } = readInput(NewName, input);
  return database.transaction(async (db) => {
    const before = await lockOrganization(db, actor.orgId);
    if (!before) throw new AppError('not_found', `There is no organization ${actor.orgId}.`);
    if (before.name === name) return before;
    const row = await updateOrganizationName(db, actor.orgId, name);
    await writeAuditEvent(db, actor, 'organization.updated', { before, row });
    return row;
  });
}
