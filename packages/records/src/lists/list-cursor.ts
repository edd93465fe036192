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

/** The record before a page. */
export interface CursorPlace {
  id: string;
  /** Text of the key by which the list is sorted: null if the record has no value, undefined if the key is the id. */
  key?: string | null;
  /** True if the page was read in the order of the list, since there were too many matches to sort. */
  isWalked?: boolean;
}

/** Bytes of the hash that ties a cursor to its list. It detects mistakes, not forgeries. */
const hashBytes = 9;

/** Returns an opaque cursor for the page after a record. */
export function encodeCursor(scope: CursorScope, { id, key, isWalked }: CursorPlace): string {
  const parts: unknown[] = [hashScope(scope), id];
  if (key !== undefined) parts.push(key);
  if (isWalked) parts.push(true);
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Returns the record before the page. Throws `invalid_cursor` for a cursor of another selection. */
export function decodeCursor(scope: CursorScope, cursor: string): CursorPlace {
  const parts = readParts(cursor);
  const isWalked = parts.at(-1) === true;
  const [hash, id, key] = isWalked ? parts.slice(0, -1) : parts;
  const isPlace = typeof id === 'string' && isUuid(id) && (key === undefined || key === null || isText(key));
  if (hash !== hashScope(scope) || !isPlace) throw validationError([invalidCursor]);
  return { id, isWalked, ...(key !== undefined && { key: key as string | null }) };
}

/** Returns true for text that PostgreSQL accepts as a value. */
const isText = (value: unknown) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0');

/** Returns the record before the page, with the time that is its key. Throws like decodeCursor. */
export function decodeTimeCursor(scope: CursorScope, cursor: string): { id: string; time: string } {
  const { id, key: time } = decodeCursor(scope, cursor);
  if (typeof time !== 'string' || !isTime(time)) throw validationError([invalidCursor]);
  return { id, time };
}

/** Returns true for a time that PostgreSQL accepts; it has no year 0. */
const isTime = (text: string) =>
  /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && !Number.isNaN(Date.parse(text));

function readParts(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

function hashScope({ orgId, list, sort, filters }: CursorScope): string {
  const sorted = filters
    .map(([name, value]) => [name, withoutOrder(value)] as const)
    .toSorted(([a], [b]) => byCodeUnit(a, b));
  const hash = createHash('sha256')
    .update(JSON.stringify([orgId, list, sort, sorted]))
    .digest();
  return hash.subarray(0, hashBytes).toString('base64url');
}

const byCodeUnit = (a: string, b: string) => (a < b ? -1 : 1);

/** Returns the values of a filter without duplicates and in a fixed order, since they are a set. */
const withoutOrder = (value: unknown) =>
  Array.isArray(value) ? [...new Set(value as string[])].toSorted(byCodeUnit) : value;
