import { organizationActor, type OperationContext, readInput } from '@relata/events';
import { updateUserIn } from '@relata/records';
import { nameText } from '@relata/schemas';
import { z } from 'zod';
import { listMemberships } from './member.sql.ts';
import { nameOfUser } from './name.ts';
import { renamePerson } from './person.sql.ts';

const NewName = z.strictObject({ id: z.string(), name: nameText(), requestId: z.string() });

/** Renames a person, and their user in every organization that they are a member of. */
export async function changeName(
  { database }: Pick<OperationContext, 'database'>,
  input: z.input<typeof NewName>,
): Promise<void> {
  const { id, name, requestId } = readInput(NewName, input);
  await database.transaction(async (db) => {
    await renamePerson(db, id, name);
    for (const { org_id: orgId, user_id: userId } of await listMemberships(db, { id, is_operator: false })) {
      const actor = organizationActor({ kind: 'user', userId: userId!, name, requestId }, orgId);
      await updateUserIn(db, actor, userId!, nameOfUser(name));
    }
  });
}
