import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { validationError } from '@relata/schemas/errors';
import { passwordCharacters } from '@relata/schemas/console';
import { HashTurns } from './hash-turns.ts';

/** Minimum cost in OWASP's cheat sheet on password storage for Argon2id: memory in KiB, passes, lanes. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;

const turns = new HashTurns();

/** Priority and party of a request to hash a password. */
export interface HashTurn {
  /**
   * True for a person with a session or a link, and for a browser or an IP address from which the person has signed in
   * before. Known parties come before strangers.
   */
  isKnown: boolean;
  /** The person, or the network of a stranger's IP address. Parties take turns. */
  party: string;
}

const derive = promisify(argon2);

function tagOf(password: string, salt: Buffer, { memory, passes, parallelism }: typeof cost): Promise<Buffer> {
  const message = Buffer.from(password.normalize('NFKC'));
  return derive('argon2id', { message, nonce: salt, memory, passes, parallelism, tagLength: tagBytes });
}

/** Returns the hash of a new password of a known party: Argon2id as a PHC string. */
export async function hashPassword(password: string, party: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  return phcOf(salt, await turns.run(party, () => tagOf(password, salt, cost)));
}

const encoded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

const phcOf = (salt: Buffer, tag: Buffer) =>
  `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encoded(salt)}$${encoded(tag)}`;

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/;

/**
 * Hash that no password matches. It is used for an unknown e-mail address, so that a sign-in takes as long as for a
 * known address.
 */
const nobody = phcOf(randomBytes(saltBytes), randomBytes(tagBytes));

/** Returns true if the stored hash is that of the password. Without a hash, it takes equally long and returns false. */
export function isPassword(password: string, kept: string | null, turn: HashTurn): Promise<boolean> {
  const compare = () => compareWith(password, kept);
  return turn.isKnown ? turns.run(turn.party, compare) : turns.runStranger(turn.party, kept !== null, compare);
}

async function compareWith(password: string, kept: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', tag = ''] = phc.exec(kept ?? nobody)!;
  const given = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const made = await tagOf(password, Buffer.from(salt, 'base64'), given);
  const known = Buffer.from(tag, 'base64');
  return kept !== null && made.length === known.length && timingSafeEqual(made, known);
}

/** Returns true if the cost of a hash differs from the current cost. */
export function isOutdated(kept: string): boolean {
  return !kept.startsWith(phcOf(Buffer.alloc(0), Buffer.alloc(0)).slice(0, -1));
}

/** Minimum length of the name in an e-mail address; a password that contains such a name is easy to guess. */
const nameCharactersMin = 4;

/** Refuses a weak password; `email` is the e-mail address of its owner. */
export function requireGoodPassword(password: string, email: string): void {
  const name = email.split('@')[0]!.toLowerCase();
  const hasName = name.length >= nameCharactersMin && password.toLowerCase().includes(name);
  const message = hasName
    ? 'Must not contain the name in the e-mail address.'
    : new Set(password).size < 5
      ? 'Must have at least 5 different characters.'
      : undefined;
  if (password.length < passwordCharacters.min || message === undefined) return;
  throw validationError([{ in: 'body', field: 'new_password', code: 'invalid_format', message }]);
}
