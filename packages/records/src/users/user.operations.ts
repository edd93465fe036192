import type { Db, UnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import type { User } from '@relata/schemas';
import { insertRecords, newRow } from '../writes/create-record.ts';
import { changeRow, newChange } from '../writes/record-change.sql.ts';
import { users } from './user.table.ts';

/** Fields of a new user, which the caller has checked. */
type NewUser = Pick<User, 'email' | 'first_name' | 'last_name' | 'role' | 'status'>;

/** Creates a user in a transaction of the caller, who has checked that no user has the same e-mail address. */
export async function createUserIn(db: Db, actor: Actor, fields: NewUser): Promise<User> {
  const [created] = await insertRecords(db, users, [newRow(actor, users, fields)]);
  return created!;
}

/** Changes a user in a transaction of the caller, who has checked the fields and knows that the user exists. */
export async function updateUserIn(db: UnitDb, actor: Actor, id: string, patch: Partial<User>): Promise<void> {
  await changeRow(db, users, newChange(actor, { id, patch }, users.writable));
}
