import { type Actor, type OperationContext, readInput } from '@relata/events';
import { emailText, lineText, nameText, type User } from '@relata/schemas';
import { z } from 'zod';
import { insertRecords, newRow } from '../record.sql.ts';
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

/** Adds a member to an organization. */
export async function createUser(
  { database }: Pick<OperationContext, 'database'>,
  actor: Actor,
  input: z.input<typeof NewUser>,
): Promise<User> {
  const [created] = await insertRecords(database, users, [newRow(actor, users, readInput(NewUser, input))]);
  return created!;
}
