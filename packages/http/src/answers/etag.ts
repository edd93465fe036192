import type { ErrorDetail } from '@relata/schemas/errors';

/**
 * The ETag of a record, from its `updated_at`: every change moves that by at least a millisecond, so that it is a
 * version. It is strong: a record of one version is always the same bytes.
 */
export function etagOf(updatedAt: string): string {
  return `"${Date.parse(updatedAt).toString(36)}"`;
}

const listed = /^\s*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"\s*(?:,\s*|$))+$/;
const each = /(W\/)?"([^"]*)"/g;

/** The versions that `If-Match` names; undefined where any will do. One that is weak never matches. */
export function versionsOf(ifMatch: string | undefined): readonly string[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  return [...ifMatch.matchAll(each)].map(([, weak, tag]) => (weak ? none : (versionIn(tag!) ?? none)));
}

/** No version of any record. */
const none = '-';

/** The time of change in milliseconds that an ETag stands for; undefined where it is none of ours. */
function versionIn(tag: string): string | undefined {
  const ms = Number.parseInt(tag, 36);
  return Number.isSafeInteger(ms) && ms.toString(36) === tag ? String(ms) : undefined;
}

/** Returns true if `If-None-Match` names this ETag; it is compared as weak ones are. */
export function isNamed(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || [...ifNoneMatch.matchAll(each)].some(([, , tag]) => `"${tag}"` === etag);
}

/** What is wrong with `If-Match`: it is a list of ETags, or `*`, and not for what creates. */
export function ifMatchDetails(ifMatch: string | undefined, isTaken: boolean): ErrorDetail[] {
  if (ifMatch === undefined) return [];
  if (!isTaken) return [detail('Is not for this operation.')];
  return ifMatch.trim() === '*' || listed.test(ifMatch) ? [] : [detail('Must be a list of ETags, or `*`.')];
}

const detail = (message: string): ErrorDetail => ({ in: 'header', field: 'If-Match', code: 'invalid_format', message });
