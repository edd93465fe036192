import { findOrganizationName } from '@relata/auth';
import type { Db } from '@relata/db';
import { LRUCache } from 'lru-cache';

const namesMax = 1_000;
const keptMs = 60_000;

/** Looks up the names of organizations, and caches them for a minute: few change theirs. */
export function organizationNames(db: Db): (orgId: string) => Promise<string> {
  const names = new LRUCache<string, string>({
    max: namesMax,
    ttl: keptMs,
    fetchMethod: (orgId) => findOrganizationName(db, orgId),
  });
  return async (orgId) => (await names.fetch(orgId)) ?? orgId;
}
