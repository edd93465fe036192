import { isEtagList, noEtagList } from '@relata/schemas';
import type { ErrorDetail } from '@relata/schemas/errors';

/**
 * Returns the ETag of a record from its `updated_at`. Every change increases `updated_at` by at least a millisecond, so
 * the ETag identifies a version. It is strong, since a version of a record always has the same bytes.
 */
export function formatEtag(updatedAt: string): string {
  return `"${Date.parse(updatedAt).toString(36)}"`;
}

const each = /(W\/)?"([^"]*)"/g;

/** Returns the versions that `If-Match` names; undefined if any version matches. A weak ETag never matches. */
export function parseIfMatch(ifMatch: string | undefined): readonly string[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  return [...ifMatch.matchAll(each)].map(([, weak, tag]) => (weak ? none : (versionIn(tag!) ?? none)));
}

/** A version that no record has. */
const none = '-';

/** Returns the time of change in milliseconds that an ETag encodes; undefined if the ETag has another format. */
function versionIn(tag: string): string | undefined {
  const ms = Number.parseInt(tag, 36);
  return Number.isSafeInteger(ms) && ms.toString(36) === tag ? String(ms) : undefined;
}

/** Returns true if `If-None-Match` names this ETag, by weak comparison. */
export function isNamed(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || [...ifNoneMatch.matchAll(each)].some(([, , tag]) => `"${tag}"` === etag);
}

/**
 * Returns the problems of `If-Match`: it must be a list of ETags, or `*`, and operations that create do not accept it.
 */
export function ifMatchDetails(ifMatch: string | undefined, isTaken: boolean): ErrorDetail[] {
  if (ifMatch === undefined) return [];
  if (!isTaken) return [detail('Is not supported by this operation.')];
  return isEtagList(ifMatch) ? [] : [detail(noEtagList)];
}

const detail = (message: string): ErrorDetail => ({ in: 'header', field: 'If-Match', code: 'invalid_format', message });
