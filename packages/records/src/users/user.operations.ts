import { type Actor, type OperationContext, readInput } from '@relata/events';
import { emailText, lineText, nameText, type User } from '@relata/schemas';
import { z } from 'zod';
import type { Db, UnitDb } from '@relata/db';
import { insertRecords, newRow } from '../record.sql.ts';
import { changeRow, newChange } from '../writes/record-change.sql.ts';
import { users } from './user.table.ts';

const NewUser = z.strictObject({
  email: emailText(),
  first_name: nameText(),
  last_name: nameText(),
  role: lineText().default('member'),
  status: lineText().default('active'),
  job_function: lineText().optional(),
  job_level: lineText().optional(),
  profile_photo: lineText().optional(),
});

export async function createUser(
  { database }: Pick<OperationContext, 'database'>,
  actor: Actor,
  input: z.input<typeof NewUser>,
): Promise<User> {
  return createUserIn(database, actor, readInput(NewUser, input));
}

/** Like createUser, in a transaction of the caller, who has checked the fields. */
export async function createUserIn(db: Db, actor: Actor, fields: z.output<typeof NewUser>): Promise<User> {
  const [created] = await insertRecords(db, users, [newRow(actor, users, fields)]);
  return created!;
}

/** Changes a user in a transaction of the caller, who has checked the fields and knows that the user exists. */
export async function updateUserIn(db: UnitDb, actor: Actor, id: string, patch: Partial<User>): Promise<void> {
  await changeRow(db, users, newChange(actor, { id, patch }, users.writable));
}
