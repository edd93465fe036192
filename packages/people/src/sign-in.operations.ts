import { randomBytes } from 'node:crypto';
import { hashCredential } from '@relata/auth';
import type { Db } from '@relata/db';
import type { OperationContext } from '@relata/events';
import { AppError } from '@relata/schemas/errors';
import { supersedeLinks } from './link.sql.ts';
import { hashPassword, type HashTurn, isOutdated, isPassword, requireGoodPassword } from './password.ts';
import { type Candidate, findPerson, lockPerson, setPasswordHash } from './person.sql.ts';
import { type Client, endSessions, insertSession } from './session.sql.ts';

type Context = Pick<OperationContext, 'database'>;

export interface Beginning {
  client: Client;
  maxMs: number;
}

/** Creates the error for a wrong password, which is the same for an unknown e-mail address. */
export const wrongCredentials = () => new AppError('wrong_credentials', 'The e-mail address or the password is wrong.');

/** Begins a session; returns its token, which is never stored. */
export async function beginSession(db: Db, personId: string, { client, maxMs }: Beginning): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await insertSession(db, personId, { tokenHash: hashCredential(token), client, maxMs });
  return token;
}

/** Returns true if text has the form of a session token. */
export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** Signs in with a password. An unknown e-mail address takes equally long. Throws `wrong_credentials`. */
export async function signIn(
  { database }: Context,
  { person, password, turn }: { person: Candidate['person']; password: string; turn: HashTurn },
  beginning: Beginning,
): Promise<string> {
  const isTheirs = await isPassword(password, person?.password_hash ?? null, turn);
  if (!person || !isTheirs) throw wrongCredentials();
  const { id, password_hash: kept } = person;
  const anew = isOutdated(kept!) ? await hashPassword(password, id) : undefined;
  return database.transaction(async (db) => {
    const present = await lockPerson(db, id);
    // The password has been changed meanwhile.
    if (present?.password_hash !== kept) throw wrongCredentials();
    if (anew !== undefined) await setPasswordHash(db, id, anew);
    return beginSession(db, id, beginning);
  });
}

/**
 * Sets the password of a person; `password` is the current one, if there is one. Ends all sessions, and all links with
 * which somebody could sign in as the person. Begins one session, and returns its token. Throws `wrong_credentials`,
 * and `validation_error` for a weak password.
 */
export async function changePassword(
  { database }: Context,
  personId: string,
  { password, new_password: next, turn }: { password?: string | undefined; new_password: string; turn: HashTurn },
  beginning: Beginning,
): Promise<string> {
  const { email, password_hash: kept } = (await findPerson(database, personId))!;
  if (kept !== null && !(await isPassword(password ?? '', kept, turn)))
    throw new AppError('wrong_credentials', 'The current password is wrong.');
  requireGoodPassword(next, email);
  const hash = await hashPassword(next, personId);
  return database.transaction(async (db) => {
    const present = await lockPerson(db, personId);
    if (present?.password_hash !== kept) throw wrongCredentials();
    await replacePassword(db, personId, hash);
    return beginSession(db, personId, beginning);
  });
}

/** Sets the password of a locked person, and ends their sessions and links, with which others might sign in as them. */
export async function replacePassword(db: Db, personId: string, hash: string): Promise<void> {
  await setPasswordHash(db, personId, hash);
  await endSessions(db, personId);
  await supersedeLinks(db, personId, ['reset', 'local']);
}
