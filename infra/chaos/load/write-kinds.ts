import type { Random } from '@relata/testbed/random';
import type { WriteRequest } from './write.ts';

/** A kind of write: how often it is sent, and how often it has an idempotency key. */
interface WriteKind {
  /** Frequency, relative to the other kinds. */
  weight: number;
  namedShare: number;
  request: (nonce: string, random: Random, sharedIds: readonly string[]) => WriteRequest;
}

const contacts = '/v1/records/contacts';
/** Numbers of items in a batch. Without an idempotency key, the largest batch needs several transactions. */
const batchSizes = [2, 5, 20, 110];

export const writeKinds: readonly WriteKind[] = [
  { weight: 6, namedShare: 0.8, request: (nonce) => creating(nonce, emailOf(nonce)) },
  { weight: 9, namedShare: 0.6, request: updating },
  { weight: 4, namedShare: 1, request: (nonce) => upserting(nonce, emailOf(nonce)) },
  { weight: 1, namedShare: 1, request: batching },
];

export function creating(nonce: string, email: string): WriteRequest {
  const body = JSON.stringify(contactOf(nonce, email));
  return { kind: 'create', method: 'POST', path: contacts, body, makes: [email], status: 201 };
}

/** Returns a change of one of a few contacts. Some fields get a value and lose it again. */
function updating(nonce: string, random: Random, sharedIds: readonly string[]): WriteRequest {
  const id = random.pick(sharedIds);
  const phone = random.pick([undefined, nonce, null]);
  const tags = random.has(0.3) ? [nonce] : undefined;
  const body = JSON.stringify({ city: nonce, phone, tags });
  return { kind: 'update', method: 'PATCH', path: `${contacts}/${id}`, body, makes: [], changes: id, status: 200 };
}

/** Returns an upsert that matches no existing contact, so that it creates one. */
function upserting(nonce: string, email: string): WriteRequest {
  const { email: _, ...set } = contactOf(nonce, email);
  const body = JSON.stringify({ match: { email }, set });
  return { kind: 'upsert', method: 'POST', path: `${contacts}/upsert`, body, makes: [email], status: 201 };
}

function batching(nonce: string, random: Random): WriteRequest {
  const makes = Array.from({ length: random.pick(batchSizes) }, (_, at) => emailOf(`${nonce}-${at}`));
  const body = JSON.stringify({ operation: 'create', items: makes.map((email) => contactOf(nonce, email)) });
  return { kind: 'batch', method: 'POST', path: `${contacts}/batch`, body, makes, status: 200 };
}

function emailOf(nonce: string): string {
  return `${nonce}@write.example`;
}

function contactOf(nonce: string, email: string) {
  return { first_name: 'Made', last_name: nonce, email, tags: [nonce] };
}
