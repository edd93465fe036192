import { createHash } from 'node:crypto';
import { isUuid } from '@relata/schemas';
import { invalidCursor, validationError } from '@relata/schemas/errors';

/** Selection that a cursor belongs to. */
export interface CursorScope {
  orgId: string;
  /** Plural of the resource. */
  list: string;
  sort: string;
  /** Names and values of the filters, in any order. */
  filters: readonly (readonly [name: string, value: unknown])[];
}

/** Bytes of the hash that ties a cursor to its list. It detects mistakes, not forgeries. */
const hashBytes = 9;

/** Returns an opaque cursor for the page after a record. */
export function encodeCursor(scope: CursorScope, id: string): string {
  return Buffer.from(JSON.stringify([hashScope(scope), id])).toString('base64url');
}

/** Returns the id of the record before the page. Throws `invalid_cursor` for a cursor of another selection. */
export function decodeCursor(scope: CursorScope, cursor: string): string {
  const [hash, id] = readParts(cursor);
  if (hash !== hashScope(scope) || typeof id !== 'string' || !isUuid(id)) throw validationError([invalidCursor]);
  return id;
}

function readParts(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

function hashScope({ orgId, list, sort, filters }: CursorScope): string {
  const sorted = filters.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash('sha256')
    .update(JSON.stringify([orgId, list, sort, sorted]))
    .digest();
  return hash.subarray(0, hashBytes).toString('base64url');
}
